"""What happens to the game at a table, from one deal to the next: moves, votes and the passing of time.

Each function returns the new table, or a Refusal. Exceptions of the game pass through.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from cartino_protocol.base import CLOCK_WARNING, Seat
from cartino_protocol.notices import News
from cartino_protocol.records import EndLine
from cartino_protocol.refusals import Refusal
from cartino_server.table.chat import clean_text
from cartino_server.table.match import (
    FIRST_MOVE,
    Match,
    announce_other_bot,
    announce_takeovers,
    deal,
    next_takeover,
    note_present,
    silent_move,
)
from cartino_server.table.state import SeatReview, TableState

LONGEST_CUT = 100


def cut(table: TableState, person: str, text: str) -> TableState | Refusal:
    """Note a player's cut for the next deal, which may be the rematch's; the last one counts."""
    seat = table.seating.seat_of(person)
    if seat is None:
        return Refusal("not-seated")
    if table.state == "playing" or table.order.deal is not None:
        return Refusal("not-open")
    cleaned = clean_text(text, LONGEST_CUT)
    if cleaned is None:
        return Refusal("bad-text")
    return replace(table, seating=table.seating.cut(seat, cleaned)).with_change()


def start(table: TableState, person: str) -> TableState | Refusal:
    """Start with the seats that are taken; only the owner may."""
    if table.state != "open":
        return Refusal("not-open")
    seat = table.seating.seat_of(person)
    if seat is None or seat != table.seating.owner:
        return Refusal("not-owner")
    least = max(2, table.order.game.seats[0])
    if table.seating.count_taken_seats() < least:
        return Refusal("too-few", str(least))
    return deal_game(replace(table, seating=table.seating.compact())).with_change()


def deal_game(table: TableState) -> TableState:
    """Deal a game to the seats, all of which are taken."""
    ports, now = table.ports, table.ports.clock()
    match = deal(
        table.order,
        table.options,
        table.seating,
        table.seeds[0],
        table.number + 1,
        ports.now,
        table.substitutes,
        table.continues,
    )
    table = replace(
        table,
        continues=None,
        seating=table.seating.dealt(),
        state="playing",
        reviews={},
        attendance=replace(table.attendance, away_since={}),
        # Spectators write to another channel from now on, which their chat view has to say.
        chat_version=table.chat_version + 1,
    )
    match = note_present(match, table.seating, table.attendance.present, now)
    return table.announce_deal().with_match(match.wait_for_turn(table.seating, now))


def act_for(table: TableState, seat: Seat, number: int, move: bytes) -> TableState | Refusal:
    """Make the move of a bot or substitute on `seat`."""
    match = table.running
    if match is None:
        return Refusal("not-playing")
    return moved(table, match.act(table.seating, table.ports, seat, number, move))


def moved(table: TableState, match: Match | Refusal) -> TableState | Refusal:
    """Return the table after the move that led to `match`."""
    return match if isinstance(match, Refusal) else table.with_match(match).with_change()


def replace_bot(table: TableState, seat: Seat, bot: str) -> TableState:
    """Let the next bot play for `seat`, because `bot` can't go on there."""
    match = table.running
    if match is None or bot == FIRST_MOVE or bot in table.seating.chairs[seat].failed:
        return table
    table = replace(table, seating=table.seating.failed(seat, bot))
    return table.with_match(announce_other_bot(match, table.seating, seat, bot))


def vote(table: TableState, person: str, pause: bool) -> TableState | Refusal:
    """Vote to pause the running game or to resume it; see `agree`."""
    match = table.running
    if match is None:
        return Refusal("not-playing")
    if table.seating.seat_of(person) is None:
        return Refusal("not-seated")
    others = match.wants_pause - {person}
    wants = others if pause == match.timing.turn.paused else others | {person}
    return agree(table.with_match(replace(match, wants_pause=wants)).with_change())


def rematch(table: TableState, person: str) -> TableState | Refusal:
    """Vote for another game; see `agree`."""
    if table.seating.seat_of(person) is None:
        return Refusal("not-seated")
    if table.state != "finished":
        return Refusal("not-finished")
    if table.order.deal is not None:
        return Refusal("played-once")
    return agree(replace(table, wants_again=table.wants_again | {person}).with_change())


def agree(table: TableState) -> TableState:
    """Pause, resume or deal again if all players who are here want it."""
    here = [person for person in table.seating.persons() if person in table.attendance.present]
    if table.running is not None:
        return table.with_match(_agree_to_pause(table, table.running, here))
    if table.state == "finished" and here and table.wants_again.issuperset(here):
        return _deal_again(table)
    return table


def _agree_to_pause(table: TableState, match: Match, here: list[str]) -> Match:
    """Pause or resume if all players `here` want it; by correspondence, if everybody with a seat does."""
    voters = table.seating.persons() if match.timing.control.by_correspondence else here
    wants = match.wants_pause & set(voters)
    if not (here and wants.issuperset(voters)):
        return replace(match, wants_pause=wants)
    on, now = not match.timing.turn.paused, table.ports.clock()
    agreed = replace(match, wants_pause=frozenset()).timed(match.timing.pause(on, now), now)
    return agreed.tell(News("paused" if on else "goes-on"))


def _deal_again(table: TableState) -> TableState:
    """Turn the seats for another round, and deal it if no player is missing."""
    table = replace(
        table,
        wants_again=frozenset(),
        led=None,
        seating=table.seating.turn(table.attendance.present),
        seeds=(table.seeds[1], table.seeds[1]),
        round=table.round + 1,
        opened=table.ports.clock(),
        state="open",
        options=table.order.options,
    )
    return (table if table.seating.first_free() is not None else deal_game(table)).with_change()


def note_reviews(table: TableState, ended: str, reviews: Mapping[Seat, SeatReview]) -> TableState:
    """Note what the players of the game that ended at the time `ended` learn of it, unless the table has gone on."""
    end = table.match.lines[-1] if table.match is not None and table.match.lines else None
    if table.state != "finished" or not isinstance(end, EndLine) or end.ended != ended or not reviews:
        return table
    known = {seat: table.reviews.get(seat, SeatReview()) for seat in reviews}
    new = {
        seat: SeatReview(
            review.rating or known[seat].rating,
            review.missed or known[seat].missed,
            known[seat].lost if review.lost is None else review.lost,
            review.place or known[seat].place,
        )
        for seat, review in reviews.items()
    }
    return replace(table, reviews={**table.reviews, **new}).with_change()


def take_votes_back(table: TableState, person: str) -> TableState:
    """Drop the votes of somebody who left, who leads no review either; to pause by correspondence they stay."""
    if table.led is not None and table.led[0] == person:
        table = replace(table, led=None)
    table, match = replace(table, wants_again=table.wants_again - {person}), table.running
    if match is None or match.timing.control.by_correspondence:
        return table
    return table.with_match(replace(match, wants_pause=match.wants_pause - {person}))


def abandon(table: TableState) -> TableState:
    """End the record of a running game, because the table closes."""
    if table.running is None:
        return table
    return table.with_match(table.running.abandon(table.ports.now)).with_change()


def look_round(table: TableState) -> TableState:
    """Note for the running game who is here."""
    if table.running is None:
        return table
    present, now = table.attendance.present, table.ports.clock()
    return table.with_match(note_present(table.running, table.seating, present, now))


def next_look(table: TableState) -> float | None:
    """Return when (server clock) `look` will find something; None for never."""
    if table.state == "open":
        return min(map(table.seat_kept_until, table.attendance.away_since), default=None)
    return None if table.running is None else next_takeover(table.running, table.seating, table.ports.clock())


def next_warning(table: TableState) -> float | None:
    """Return when (server clock) the next seat has CLOCK_WARNING seconds left; None for never."""
    match, now = table.running, table.ports.clock()
    if match is None or not match.timing.runs:
        return None
    lefts = (match.timing.seconds_left(seat, now) for seat in range(len(table.seating.chairs)))
    return min((now + left - CLOCK_WARNING for left in lefts if left and left > CLOCK_WARNING), default=None)


def look(table: TableState) -> TableState:
    """Do what only time causes: seats become free, silence is an answer, substitutes begin.

    Raises RuntimeError where the game refuses its own silence.
    """
    now = table.ports.clock()
    while (match := table.running) is not None and (silence := silent_move(match, table.seating, now)):
        new = act_for(table, silence[0], table.number, silence[1])
        if isinstance(new, Refusal):
            raise RuntimeError(f"the game refuses the silence of seat {silence[0]}")
        table = new
    if table.running is not None:
        table = table.with_match(announce_takeovers(table.running, table.seating, now))
    for person in tuple(table.attendance.away_since):
        seat = table.seating.seat_of(person)
        if seat is not None and table.state == "open" and table.seat_kept_until(person) <= now:
            name, away = table.seating.chairs[seat].name, table.attendance.forget(person)
            table = replace(table, attendance=away, seating=table.seating.free(seat))
            table = table.with_change(News("not-back", name))
    return table
