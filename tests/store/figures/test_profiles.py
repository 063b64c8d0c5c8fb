"""Finished games are summed up once, in the order in which they ended, and what is told keeps to who may know."""

from pathlib import Path

import apsw

from cartino_protocol.views import HeadToHead, Highlight, ProfileView
from cartino_server.store.figures import sums
from cartino_server.store.journal import Journal
from cartino_server.store.migrations import migrate_journal
from cartino_server.store.port import FinishedGame, GameScores, NewEntry, ProfileQuery, Rating, SeatScore
from cartino_server.store.repair.doctor import forget_game
from tests.support.journals import change, ended, opened


async def end(journal: Journal, *endings: FinishedGame) -> list[int]:
    """So many games come to their end, in this order; their numbers."""
    numbers = [journal.number(ending.code) for ending in endings]
    await journal.write(
        [NewEntry(number, b"all", "closed", ending) for number, ending in zip(numbers, endings, strict=True)],
        0.0,
    )
    return numbers


def score(person: str, points: int, rank: int, turn: int = 0, shown: int | None = None) -> SeatScore:
    rating = None if shown is None else Rating(25.0, 2.0, 1, shown)
    return SeatScore(person, person.removeprefix("id-"), points, rank, {"turn": turn}, rating)


async def sum_up(journal: Journal, *scores: SeatScore, listed: bool = True) -> int:
    """A game with these scores came to its end and was summed up; its number."""
    [number] = await end(journal, ended(listed=listed))
    [due] = await journal.due(9)
    await journal.tally([GameScores(due.place, number, "cartino", {"edition": "1974"}, listed, scores)])
    return number


async def profile(journal: Journal, name: str, by: str = "", against: str = "") -> ProfileView | None:
    return await journal.profile(ProfileQuery(by, name=name, against=against))


async def test_games_are_due_in_the_order_in_which_they_ended(journal: Journal) -> None:
    first, second = journal.number("AAAA"), journal.number("BBBB")
    await journal.write([NewEntry(second, b"", "closed", ended("BBBB"))], 0.0)
    await journal.write([NewEntry(first, b"", "closed", ended("AAAA"))], 0.0)
    assert [due.number for due in await journal.due(9)] == [second, first]
    assert [due.number for due in await journal.due(1)] == [second]
    assert (await journal.due(1))[0].ending == ended("BBBB")


async def test_a_game_is_summed_up_once(journal: Journal) -> None:
    [number] = await end(journal, ended())
    [due] = await journal.due(9)
    game = GameScores(due.place, number, "cartino", {}, True, (score("id-Ann", 12, 0),))
    await journal.tally([game, game])
    await journal.tally([game])
    assert await journal.due(9) == ()
    ann = await profile(journal, "ann")
    assert ann is not None
    assert [line.games for line in ann.scores] == [1]


async def test_a_profile_sums_up(journal: Journal) -> None:
    first = await sum_up(journal, score("id-Ann", 100, 0, 31), score("id-Bob", 80, 1, 12))
    await sum_up(journal, score("id-Ann", 50, 1, 31), score("id-Bob", 90, 0, 40))
    await sum_up(journal, score("id-Ann", 60, 0, 9), score("id-Bob", 60, 0, 9))
    ann = await profile(journal, "ANN", against="id-Bob")
    bob = await profile(journal, "Bob", by="id-Bob")
    assert ann is not None
    assert bob is not None
    [line] = ann.scores
    assert (line.game, line.options, line.games, line.wins, line.mean) == (
        "cartino",
        {"edition": "1974"},
        3,
        2,
        70.0,
    )
    assert line.highlights == (Highlight("turn", 31, f"K7QP-{first}"),)
    assert (ann.name, ann.you, ann.against) == ("Ann", False, "Bob")
    assert ann.head_to_head == (HeadToHead("cartino", 3, 1, 1),)
    assert bob.you


async def test_only_those_who_were_there_hear_of_games_at_private_tables(journal: Journal) -> None:
    await sum_up(journal, score("id-Ann", 100, 0, 31), score("id-Bob", 80, 1), listed=False)
    hidden = await profile(journal, "Ann", against="id-Joe")
    own = await journal.profile(ProfileQuery("id-Ann", of="id-Ann"))
    met = await journal.profile(ProfileQuery("id-Bob", of="id-Ann", name="Ann", against="id-Bob"))
    overheard = await profile(journal, "Ann", by="id-Joe", against="id-Bob")
    await sum_up(journal, score("id-Ann", 10, 0, 1))
    public = await profile(journal, "Ann")
    all_of_it = await profile(journal, "Ann", by="id-Ann")
    assert hidden is None
    assert overheard is None
    assert own is not None
    assert own.scores[0].games == 1
    assert met is not None
    assert (met.name, met.player, met.scores, met.head_to_head) == (
        "Ann",
        0,
        (),
        (HeadToHead("cartino", 1, 1, 0),),
    )
    assert public is not None
    assert (public.scores[0].games, public.scores[0].highlights[0].value) == (1, 1)
    assert all_of_it is not None
    assert (all_of_it.scores[0].games, all_of_it.scores[0].highlights[0].value) == (2, 31)


async def test_what_somebody_is_called_at_a_private_table_is_told_nobody_else(journal: Journal) -> None:
    await sum_up(journal, SeatScore("id-Ann", "Ann", 1, 0))
    await sum_up(journal, SeatScore("id-Ann", "Secret", 1, 0), listed=False)
    assert await profile(journal, "Secret") is None
    assert await journal.person_called("Secret") is None
    await sum_up(journal, SeatScore("id-Ann", "Anna", 1, 0))
    assert await profile(journal, "Ann") is None
    assert await journal.person_called("anna") == "id-Ann"


async def test_a_name_from_a_private_table_finds_nobody_and_hides_nobody(journal: Journal) -> None:
    await sum_up(journal, SeatScore("id-A", "Ada", 10, 0), SeatScore("id-C", "Cy", 5, 1))
    await sum_up(journal, SeatScore("id-B", "Ada", 10, 0), SeatScore("id-C", "Cy", 5, 1), listed=False)
    assert await profile(journal, "Ada") is not None
    assert await journal.person_called("ada") == "id-A"
    # Even while the one who is called so is here.
    here = await journal.profile(ProfileQuery("id-Z", of="id-B", name="Ada"))
    await sum_up(journal, SeatScore("id-D", "Hidden", 10, 0), SeatScore("id-C", "Cy", 5, 1), listed=False)
    assert await journal.person_called("Hidden") is None
    assert await journal.person_called("") is None
    counted_up = [
        await journal.profile(ProfileQuery("id-C", player=player, against="id-C")) for player in range(1, 5)
    ]
    assert here is not None
    assert (here.name, here.scores[0].games) == ("Ada", 1)
    assert [one.name if one else None for one in counted_up] == ["Ada", "Cy", None, None]


async def test_whom_somebody_met_at_a_private_table_is_told_by_the_name_they_know(journal: Journal) -> None:
    await sum_up(journal, SeatScore("id-B", "Secretive", 1, 0), SeatScore("id-C", "Cy", 5, 1), listed=False)
    await sum_up(journal, SeatScore("id-A", "Ada", 1, 0), SeatScore("id-C", "Cy", 5, 1))
    by_name = await journal.profile(ProfileQuery("id-Z", name="Ada", against_name="secretive"))
    by_id = await journal.profile(ProfileQuery("id-Z", name="Ada", against="id-B", against_name="Bo"))
    own = await journal.profile(ProfileQuery("id-C", of="id-C", against="id-B", against_name="Bo"))
    met = await journal.profile(ProfileQuery("id-C", of="id-B", name="Bo", against="id-C"))
    assert by_name is not None
    assert by_id is not None
    assert (by_name.against, by_id.against) == ("", "")
    assert own is not None
    assert (own.against, own.head_to_head) == ("Bo", (HeadToHead("cartino", 1, 0, 1),))
    assert met is not None
    assert (met.name, met.against, met.head_to_head) == ("Bo", "Cy", (HeadToHead("cartino", 1, 1, 0),))


async def test_a_public_game_names_whoever_played_in_private_before(journal: Journal) -> None:
    await sum_up(journal, SeatScore("id-B", "First", 1, 0), listed=False)
    await sum_up(journal, SeatScore("id-B", "Second", 1, 0), listed=False)
    own = await journal.profile(ProfileQuery("id-B", of="id-B"))
    await sum_up(journal, SeatScore("id-B", "Bo", 1, 0))
    seen = await profile(journal, "bo")
    assert await profile(journal, "Second") is None
    assert own is not None
    assert own.name == "Second"
    assert seen is not None
    assert (seen.name, seen.scores[0].games) == ("Bo", 1)


async def test_leaders_stand_by_their_ratings_and_bots_apart(journal: Journal) -> None:
    bot = SeatScore("bot:greedy", "bot:greedy", 9, 2, {}, Rating(1.0, 1.0, 5, 1500))
    await sum_up(
        journal,
        score("id-Ann", 1, 0, shown=1100),
        score("id-Bob", 1, 0, shown=1300),
        score("id-Eve", 1, 0, shown=1100),
        bot,
    )
    told = await journal.leaders("cartino", "id-Eve")
    known = await journal.ratings("cartino", ["id-Ann", "id-Joe", "bot:greedy"])
    assert await journal.leaders("caro", "id-Eve") == type(told)("caro", ())
    greedy = await profile(journal, "bot:greedy")
    ann = await journal.profile(ProfileQuery("", player=told.people[1].player))
    assert [(line.place, line.name, line.rating) for line in told.people] == [
        (1, "Bob", 1300),
        (2, "Ann", 1100),
        (2, "Eve", 1100),
    ]
    assert [(line.place, line.name) for line in told.bots] == [(1, "greedy")]
    assert told.you == told.people[2]
    assert known == {"id-Ann": Rating(25.0, 2.0, 1, 1100), "bot:greedy": Rating(1.0, 1.0, 5, 1500)}
    assert greedy is not None
    assert (greedy.name, greedy.bot, greedy.ratings[0].place) == ("greedy", True, 1)
    assert ann is not None
    assert ann.name == "Ann"


async def test_sums_of_another_format_are_made_anew(tmp_path: Path) -> None:
    async with opened(tmp_path) as found:
        numbers = [await sum_up(found.journal, score("id-Ann", 1, 0, shown=1)) for _ in range(3)]
    async with opened(tmp_path) as found:
        assert await found.journal.due(9) == ()
    change(tmp_path, "UPDATE meta SET value = 'old' WHERE key = 'tally'")
    async with opened(tmp_path) as found:
        assert [due.number for due in await found.journal.due(9)] == numbers
        assert await profile(found.journal, "Ann") is None
        assert (await found.journal.leaders("cartino", "")).people == ()


async def test_a_game_that_is_forgotten_is_taken_out_of_the_sums(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    async with opened(data) as found:
        kept = await sum_up(found.journal, score("id-Ann", 1, 0))
        gone = await sum_up(found.journal, score("id-Ann", 1, 0))
    forget_game(data, gone, tmp_path / "left")
    async with opened(data) as found:
        assert [due.number for due in await found.journal.due(9)] == [kept]
        assert await profile(found.journal, "Ann") is None


def test_a_damaged_ending_is_due_without_it() -> None:
    connection = apsw.Connection(":memory:")
    migrate_journal(connection)
    connection.execute(
        "INSERT INTO finished (number, code, listed, body, hash) VALUES (7, 'K7QP', 1, 'body', 'hash')"
    )
    sums.queue_game(connection, 7)
    [due] = sums.uncounted_games(connection, 1)
    assert (due.number, due.ending) == (7, None)
    sums.count_games(connection, [GameScores(due.place, 7, "", {}, False)])
    assert sums.uncounted_games(connection, 1) == ()


def test_options_read_the_same_in_any_order() -> None:
    assert sums.encode_options({"b": "2", "a": "1"}) == sums.encode_options({"a": "1", "b": "2"})
