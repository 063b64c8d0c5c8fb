"""Stored reviews go with their games, and what each seat lost can be added up."""

from pathlib import Path

import msgspec

from cartino_server.store.journal import DiskJournal
from cartino_server.store.journal_writer import JournalWriter
from cartino_server.store.port import GameLoss, SeatLoss, StoredReview
from tests.support.finished import finish, on, upkeep
from tests.support.journals import opened

KIND = {"edition": "1974"}


async def keep(
    journal: DiskJournal, number: int, *lost: float, version: str = "careful 1", luck: float | None = None
) -> None:
    losses = tuple(SeatLoss(points, 10, luck) for points in lost)
    await journal.keep_review(number, StoredReview("cartino", KIND, version, b"body %d" % number, losses))


async def losses(
    journal: DiskJournal, person: str, version: str = "careful 1", most: int = 40, *, listed: bool = True
) -> list[tuple[int, float]]:
    found = await journal.losses(person, "cartino", KIND, version, most, listed=listed)
    return [(loss.number, loss.lost) for loss in found]


async def test_the_losses_of_a_person_are_those_of_their_own_seats_newest_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        first, second, third = await finish(
            journal,
            on("2026-01-01", "id-Ann", "id-Bob"),
            on("2026-01-02", "id-Bob", "id-Ann"),
            on("2026-01-03", "id-Bob", "id-Eve"),
        )
        for number in (first, second, third):
            await keep(journal, number, number + 0.25, number + 0.5)
        assert await losses(journal, "id-Ann") == [(second, second + 0.5), (first, first + 0.25)]
        assert await losses(journal, "id-Ann", most=1) == [(second, second + 0.5)]
        assert len(await losses(journal, "id-Bob")) == 3
        assert await losses(journal, "id-Ann", version="careful 2") == []
        assert await losses(journal, "") == []
        assert await journal.losses("id-Ann", "cartino", {"edition": "1969"}, "careful 1", 9) == ()


async def test_a_bot_has_losses_by_its_name_and_private_games_count_if_asked_for(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        ends = [on("2026-01-01", "id-Ann", ""), on("2026-01-02", "id-Ann", "", listed=False)]
        numbers = await finish(
            journal, *(msgspec.structs.replace(end, seats=("Ann", "bot:Careful")) for end in ends)
        )
        for number in numbers:
            await keep(journal, number, 20.0, 1.5, luck=3.0)
        assert await losses(journal, "bot:careful") == [(numbers[0], 1.5)]
        assert await losses(journal, "bot:careful", listed=False) == [(numbers[1], 1.5), (numbers[0], 1.5)]
        [loss] = await journal.losses("id-Ann", "cartino", KIND, "careful 1", 9)
        assert loss == GameLoss(numbers[0], 20.0, 10, 3.0)


async def test_a_later_review_replaces_the_one_before(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        [number] = await finish(journal, on("2026-01-01"))
        await keep(journal, number, 5.0, 6.0)
        await keep(journal, number, 7.0, 8.0, version="careful 2")
        assert await journal.review(number, "careful 1") is None
        assert await journal.review(number, "careful 2") == b"body %d" % number
        assert await losses(journal, "id-Ann") == []
        assert await losses(journal, "id-Ann", "careful 2") == [(number, 7.0)]


async def test_a_review_goes_with_its_game(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
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


async def test_a_deleted_player_has_no_losses(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        [number] = await finish(journal, on("2026-01-01"))
        await keep(journal, number, 1.0, 2.0)
        await journal.erase("id-Ann", "", lambda bodies, seats: (*bodies, b""))
        await journal.erased("id-Ann")
        assert await losses(journal, "id-Ann") == []
        assert await losses(journal, "id-Bob") == [(number, 2.0)]


async def test_the_games_that_lack_a_review_are_the_newest_counted_ones(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        journal = found.journal
        numbers = await finish(journal, *(on(f"2026-01-0{day}") for day in range(1, 6)))
        await keep(journal, numbers[1], 1.0, 2.0)
        await keep(journal, numbers[3], 1.0, 2.0, version="careful 0")
        assert list(await journal.unreviewed({"careful 1"}, 9)) == [numbers[at] for at in (4, 3, 2, 0)]
        assert list(await journal.unreviewed({"careful 1", "careful 0"}, 3)) == [numbers[at] for at in (4, 2)]
