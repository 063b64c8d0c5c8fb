"""Ranks out of totals, and ratings out of ranks."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.commands import Invite, Leaders, Leave, Profile, Rename
from cartino_protocol.records import RecordLine
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import HeadToHead, LeadersView, Left, ProfileView, Welcome
from cartino_server.lobby.background_tasks import BackgroundTasks
from cartino_server.lobby.finished.ratings import AT_ONCE, RatingJobs, new_ratings, ranks
from cartino_server.server import Server
from cartino_server.store.figures.profiles import person_called
from cartino_server.store.port import RATING_BASE, GameScores, NewEntry, NotSaved, Rating, displayed_rating
from tests.support.game_server import Guest, World, a_guest, new_server
from tests.support.journal import MemoryJournal
from tests.support.lasting import play, summed_up
from tests.support.race import Race


@pytest.mark.parametrize(
    ("totals", "winners", "expected"),
    [
        ((120, 98), (0,), (0, 1)),
        ((98, 120, 98), (1,), (1, 0, 1)),
        ((7, 7, 3, 9), (3,), (1, 1, 3, 0)),
        ((5, 5), (0, 1), (0, 0)),
        ((3, 11, 8), (0,), (0, 2, 1)),  # the lowest wins there
        ((3, 11, 8), (2,), (1, 1, 0)),  # nobody knows what totals mean there
        ((), (), ()),
    ],
)
def test_ranks_follow_the_winners_and_the_totals(
    totals: tuple[int, ...], winners: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert ranks(totals, winners) == expected


def test_whoever_wins_gains_and_whoever_loses_does_not() -> None:
    after = new_ratings(["ann", "bob"], [0, 1], {})
    assert after["ann"].mu > after["bob"].mu
    assert after["ann"].games == after["bob"].games == 1
    assert after["ann"].shown > RATING_BASE > after["bob"].shown


def test_a_win_over_somebody_strong_brings_more() -> None:
    known = {"strong": Rating(35.0, 3.0, 40), "weak": Rating(15.0, 3.0, 40)}
    over = {name: new_ratings(["ann", name], [0, 1], known)["ann"].mu for name in known}
    assert over["strong"] > over["weak"]


@given(st.integers(2, 4), st.data())
def test_any_table_of_two_to_four_can_be_rated(seats: int, data: st.DataObject) -> None:
    players = [f"p{seat}" for seat in range(seats)]
    ranking = data.draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    before = Rating(25.0, 25 / 3, 0, displayed_rating(25.0, 25 / 3))
    after = new_ratings(players, ranking, {})
    assert set(after) == set(players)
    assert all(0 < rating.sigma <= before.sigma + 0.01 for rating in after.values())


async def profile(by: Guest, name: str = "", against: str = "") -> ProfileView:
    return await by.ask(Profile(name, against=against), ProfileView)


@pytest.mark.parametrize("listed", [True, False])
async def test_a_renamed_person_has_the_new_name_in_the_ratings(
    server: Server, journal: MemoryJournal, *, listed: bool
) -> None:
    """A name of private tables alone stays unknown to others."""
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    await play(ann, bob, listed=listed)
    await summed_up(journal)
    ann.say(Leave())
    await ann.ask(Rename("Zoe"), Welcome, lambda welcome: welcome.name == "Zoe")
    await journal.until(lambda it: not listed or person_called(it.connection, "zoe") is not None)
    told = await eve.ask(Leaders(), LeadersView)
    assert {line.name for line in told.people} == ({"Zoe", "bob"} if listed else set())
    if listed:
        assert (await profile(eve, "Zoe")).scores
    assert (await profile(ann)).name == "Zoe"
    assert (await eve.ask(Profile("ann"), Refusal)).reason == "unknown-person"


async def test_a_game_that_counts_after_a_rename_brings_no_old_name_back(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    journal.sums_fail = NotSaved("full")
    await play(ann, bob)
    ann.say(Leave())
    await ann.ask(Rename("Zoe"), Welcome, lambda welcome: welcome.name == "Zoe")
    journal.sums_fail = None
    await play(eve, bob)
    await summed_up(journal)
    told = await eve.ask(Leaders(), LeadersView)
    assert {line.name for line in told.people} == {"Zoe", "bob", "eve"}


async def test_a_game_that_ends_is_told_of(server: Server, journal: MemoryJournal) -> None:
    ann, bob, eve = [await a_guest(server, name) for name in ("ann", "bob", "eve")]
    await play(ann, bob)
    await summed_up(journal)
    seen = await profile(eve, "ANN")
    [line] = seen.scores
    assert (seen.name, seen.you, line.game, line.games, line.wins, line.mean) == (
        "ann",
        False,
        "race",
        1,
        1,
        3.0,
    )
    own = await profile(bob)
    assert (own.name, own.you, own.scores[0].wins) == ("bob", True, 0)
    met = await profile(bob, "ann")
    assert (met.against, met.head_to_head) == ("bob", (HeadToHead("race", 1, 1, 0),))
    told = await eve.ask(Leaders(), LeadersView)
    assert [line.name for line in told.people] == ["ann", "bob"]
    assert told.people[0].rating > 1000 > told.people[1].rating
    assert (told.bots, told.you) == ((), None)
    by_number = await eve.ask(Profile(player=told.people[1].player), ProfileView)
    assert by_number.name == "bob"


async def test_guests_are_counted_nowhere(server: Server, journal: MemoryJournal) -> None:
    ann, gus = await a_guest(server, "ann"), await a_guest(server, "gus", guest=True)
    await play(ann, gus)
    await summed_up(journal)
    assert (await profile(ann)).scores[0].games == 1
    assert await profile(gus) == ProfileView("~gus", you=True)
    assert (await ann.ask(Leaders(), LeadersView)).people == ()


async def test_people_are_not_rated_by_bots_and_bots_are_by_people(
    server: Server, journal: MemoryJournal
) -> None:
    ann = await a_guest(server, "ann")
    await play(ann, bots=("steady", "steady"))
    await summed_up(journal)
    assert (await ann.ask(Leaders(), LeadersView)).bots == (), "several of a kind are nobody"
    assert (await profile(ann)).scores[0].games == 1
    await play(ann, bots=("steady",))
    await summed_up(journal)
    told = await ann.ask(Leaders(), LeadersView)
    assert told.people == ()
    [bot] = told.bots
    assert (bot.name, bot.games) == ("steady", 1)
    assert bot.rating < 1000
    steady = await profile(ann, "bot steady")
    assert await profile(ann, "Steady") == steady, "no person is called so"
    assert (steady.bot, steady.name, steady.scores[0].wins, steady.head_to_head) == (
        True,
        "steady",
        0,
        (HeadToHead("race", 1, 0, 1),),
    )


async def test_a_guest_of_the_same_name_hides_nobody(
    server: Server, journal: MemoryJournal, world: World
) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    code = await play(ann, bob)
    await summed_up(journal)
    for player in (ann, bob):
        await player.ask(Leave(), Left)
        player.link.close()
    eve = await a_guest(server, "eve")
    # Her name is held as long as she has a seat.
    world.skip(server.services.registry.config.empty_after + 1)
    await journal.until(lambda it: it.table(code).state == "closed")
    gus = await a_guest(server, "ann", person="guest:1", guest=True)
    assert (await profile(eve, "ann")).scores[0].games == 1
    assert (await profile(gus, "ann")).scores[0].games == 1
    assert await profile(gus, "~ann") == ProfileView("~ann", you=True)


async def test_a_private_table_moves_no_rating_and_who_plays_there_is_found_by_nobody(
    server: Server, journal: MemoryJournal
) -> None:
    ghost, bob, eve = [await a_guest(server, name) for name in ("ghost", "bob", "eve")]
    await play(eve, bob)
    await summed_up(journal)
    before = await eve.ask(Leaders(), LeadersView)
    await play(ghost, bob, listed=False)
    await summed_up(journal)
    assert await eve.ask(Leaders(), LeadersView) == before
    assert (await profile(ghost)).scores[0].games == 1
    assert (await profile(ghost, "bob")).head_to_head == (HeadToHead("race", 1, 0, 1),)
    await ghost.ask(Leave(), Left)
    ghost.link.close()
    for command in (Invite("ghost"), Profile("ghost")):
        assert await eve.refused(command) == Refusal("unknown-person", "ghost")
    assert (await profile(eve, "bob", against="ghost")).against == ""


async def test_what_cannot_be_saved_is_summed_up_with_the_next_game(
    server: Server, journal: MemoryJournal
) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    journal.sums_fail = NotSaved("full")
    await play(ann, bob)
    await journal.until(lambda it: it.sums_tried)
    journal.sums_fail = None
    await play(ann, bob)
    await summed_up(journal)
    assert (await profile(ann)).scores[0].games == 2


def _no_seat(game: Race, lines: Sequence[RecordLine]) -> Mapping[str, Sequence[int]]:
    raise IndexError


def _too_few(game: Race, lines: Sequence[RecordLine]) -> Mapping[str, Sequence[int]]:
    return {"most": ()}


@pytest.mark.parametrize("highlights", [_no_seat, _too_few])
async def test_a_game_that_the_summing_chokes_on_counts_nowhere_and_keeps_no_other_out(
    server: Server,
    journal: MemoryJournal,
    monkeypatch: pytest.MonkeyPatch,
    highlights: Callable[[Race, Sequence[RecordLine]], Mapping[str, Sequence[int]]],
) -> None:
    right = Race.highlights

    def some(game: Race, lines: Sequence[RecordLine]) -> Mapping[str, Sequence[int]]:
        return highlights(game, lines) if len(journal.games) == 1 else right(game, lines)

    monkeypatch.setattr(Race, "highlights", some)
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await play(ann, bob)
    await summed_up(journal)
    assert await profile(ann) == ProfileView("ann", you=True)
    await play(ann, bob)
    await summed_up(journal)
    assert (await profile(ann)).scores[0].games == 1


async def test_who_wakes_it_while_it_fails_has_it_tried_again(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    journal.sums_fail = NotSaved("full")
    await play(ann, bob)
    await journal.until(lambda it: it.sums_tried)

    class Waking(MemoryJournal):
        async def tally(self, games: Sequence[GameScores]) -> None:
            self.sums_tried += 1
            if self.sums_tried == 1:
                tallier.wake()
                raise NotSaved("full")
            await super().tally(games)

    waking, background = Waking(), BackgroundTasks()
    waking._writer = journal._writer
    tallier = RatingJobs(waking, {"race": Race()}, background)
    tallier.wake()
    await summed_up(waking)
    await background.stop()
    assert (await profile(ann)).scores[0].games == 1


async def test_the_model_of_ratings_is_loaded_beside_the_loop(
    server: Server, journal: MemoryJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def rated(*arguments: Any) -> dict[str, Rating]:
        threads.append(threading.current_thread())
        return new_ratings(*arguments)

    monkeypatch.setattr("cartino_server.lobby.finished.ratings.new_ratings", rated)
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await play(ann, bob)
    await summed_up(journal)
    assert threads
    assert threading.current_thread() not in threads


async def test_a_server_sums_up_what_was_due_when_it_opens(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    for _ in range(3):
        await play(ann, bob)
    await summed_up(journal)
    eve = await a_guest(server, "eve")
    before = await eve.ask(Leaders(), LeadersView)
    await server.close()
    copied = journal.copy()
    later = new_server(World(), journal=copied)
    later.recover(())
    joe = await a_guest(later, "joe")
    await summed_up(copied)
    assert await joe.ask(Leaders(), LeadersView) == before
    await later.close()


async def test_many_games_are_summed_up_in_their_order(server: Server, journal: MemoryJournal) -> None:
    ann, bob = await a_guest(server, "ann"), await a_guest(server, "bob")
    await play(ann, bob)
    await summed_up(journal)
    (first,) = journal.games.values()
    for _ in range(AT_ONCE + 1):
        number = journal.number(first.code)
        *others, last = (NewEntry(number, body) for body in first.bodies)
        ended = msgspec.structs.replace(last, state="closed", ending=first.ending)
        await journal.write([*others, ended], 0.0)
    background = BackgroundTasks()
    RatingJobs(journal, {"race": Race()}, background).wake()
    await summed_up(journal)
    await background.stop()
    assert (await profile(ann)).scores[0].games == AT_ONCE + 2


async def test_nobody_of_that_name_is_said_so(server: Server) -> None:
    ann = await a_guest(server, "ann")
    assert await ann.refused(Profile("joe")) == Refusal("unknown-person", "joe")
    assert await ann.refused(Profile(player=12)) == Refusal("unknown-person", "12")
    assert await ann.refused(Leaders("chess")) == Refusal("unknown-game", "chess")
    assert await profile(ann) == ProfileView("ann", you=True)
    assert await profile(ann, "ann") == ProfileView("ann", you=True)
