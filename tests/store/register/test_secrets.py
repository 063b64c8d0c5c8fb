"""Secrets of the house: made once, the same after a restart."""

from functools import partial
from pathlib import Path

from cartino_server.store.register.register import open_register
from cartino_server.store.register.secrets import AUTHORS, BYTES, secret


async def test_a_secret_is_the_same_ever_after(tmp_path: Path) -> None:
    register = open_register(tmp_path)
    first = await register.do(partial(secret, name=AUTHORS))
    other = await register.do(partial(secret, name="other"))
    await register.close()
    again = open_register(tmp_path)
    assert await again.do(partial(secret, name=AUTHORS)) == first
    await again.close()
    assert len(first) == BYTES
    assert first != other
