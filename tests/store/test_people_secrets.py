"""Secrets of the server: made once, the same after a restart."""

from functools import partial
from pathlib import Path

from cartino_server.store.people import AUTHORS_SECRET, SECRET_BYTES, open_people, read_secret


async def test_a_secret_is_the_same_ever_after(tmp_path: Path) -> None:
    people_db = open_people(tmp_path)
    first = await people_db.do(partial(read_secret, name=AUTHORS_SECRET))
    other = await people_db.do(partial(read_secret, name="other"))
    await people_db.close()
    again = open_people(tmp_path)
    assert await again.do(partial(read_secret, name=AUTHORS_SECRET)) == first
    await again.close()
    assert len(first) == SECRET_BYTES
    assert first != other
