"""Stored reviews go with their games, and what each seat lost can be added up."""

from cartino_server.store.journal import Journal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import SeatLoss, StoredReview
from cartino_server.store.queries import decode_rows
from tests.support.finished import finish, on, upkeep

KIND = {"edition": "1974"}


async def keep(journal: Journal, number: int, *lost: float, version: str = "careful 1") -> None:
    losses = tuple(SeatLoss(points, 10) for points in lost)
    await journal.keep_review(number, StoredReview("cartino", KIND, version, b"body %d" % number, losses))


async def losses(journal: Journal, person: str) -> list[tuple[int, float]]:
    """Return the numbers of the person's reviewed games, and what they lost in each."""
    query = """
        SELECT number, lost FROM losses JOIN seats USING (number, seat) WHERE person = ? ORDER BY number DESC
    """
    return await journal.query(
        lambda connection, /: list(decode_rows(connection.execute(query, (person,)), tuple[int, float]))
    )


async def test_a_later_review_replaces_the_one_before(journal: Journal) -> None:
    [number] = await finish(journal, on("2026-01-01"))
    await keep(journal, number, 5.0, 6.0)
    await keep(journal, number, 7.0, 8.0, version="careful 2")
    assert await journal.review(number, "careful 1") is None
    assert await journal.review(number, "careful 2") == b"body %d" % number
    assert await losses(journal, "id-Ann") == [(number, 7.0)]


async def test_a_review_goes_with_its_game(journal: Journal) -> None:
    gone, stays = await finish(journal, on("2026-01-01"), on("2026-01-02"))
    for number in (gone, stays):
        await keep(journal, number, 1.0, 2.0)
    await upkeep(journal).pack_all()
    await journal.transact(JournalWriter.prune, [gone])
    assert await journal.review(gone, "careful 1") is None
    assert await losses(journal, "id-Ann") == [(stays, 1.0)]
    await keep(journal, gone, 1.0, 2.0)
    assert await journal.review(gone, "careful 1") is None
    assert await journal.query(lambda it: it.execute("SELECT count(*) FROM losses").get) == 2


async def test_a_deleted_player_has_no_losses(journal: Journal) -> None:
    [number] = await finish(journal, on("2026-01-01"))
    await keep(journal, number, 1.0, 2.0)
    await journal.erase("id-Ann", "", lambda bodies, seats: (*bodies, b""))
    await journal.erased("id-Ann")
    assert await losses(journal, "id-Ann") == []
    assert await losses(journal, "id-Bob") == [(number, 2.0)]


async def test_the_games_that_lack_a_review_are_the_newest_counted_ones(journal: Journal) -> None:
    numbers = await finish(journal, *(on(f"2026-01-0{day}") for day in range(1, 6)))
    await keep(journal, numbers[1], 1.0, 2.0)
    await keep(journal, numbers[3], 1.0, 2.0, version="careful 0")
    assert list(await journal.unreviewed({"careful 1"}, 9)) == [numbers[at] for at in (4, 3, 2, 0)]
    assert list(await journal.unreviewed({"careful 1", "careful 0"}, 3)) == [numbers[at] for at in (4, 2)]
