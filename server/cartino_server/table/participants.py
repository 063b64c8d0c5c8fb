"""What people do at a table: they come and go, sit, stand and talk; `apply` serves their commands.

Each function returns the new table, or a Refusal. Exceptions of the game pass through.
"""

import sys

from msgspec.structs import replace

from cartino_protocol.base import Seat
from cartino_protocol.commands import Act, Cut, Lead, Pause, Rematch, Say, Sit, Stand, Start, TableCommand
from cartino_protocol.notices import News, NoticeKind
from cartino_protocol.refusals import Refusal
from cartino_server.table.chat import LONGEST, clean_text
from cartino_server.table.rounds import (
    agree,
    cut,
    deal_game,
    look_round,
    moved,
    rematch,
    start,
    take_votes_back,
    vote,
)
from cartino_server.table.seating import Order
from cartino_server.table.state import TableState
from cartino_server.visitors import is_bot_person


def apply(
    table: TableState, person: str, command: TableCommand, longest: int = LONGEST, origin: str = ""
) -> TableState | Refusal:
    """Return `table` after the command of `person`, who is at it; `longest` and `origin` are those of `say`."""
    match command:
        case Act(number=number, move=move):
            running, own = table.running, table.seating.seat_of(person)
            if running is None:
                return Refusal("not-playing")
            if own is None:
                return Refusal("not-seated")
            if running.timing.turn.substitutes.why(own) == "time":
                return Refusal("timed-out")
            return moved(table, running.act(table.seating, table.ports, own, number, bytes(move)))
        case Say(text=text):
            return say(table, person, text, longest, origin)
        case Cut(text=text):
            return cut(table, person, text)
        case Sit(seat=seat):
            return sit(table, person, seat)
        case Stand():
            return stand(table, person)
        case Start():
            return start(table, person)
        case Rematch():
            return rematch(table, person)
        case Pause(on=on):
            return vote(table, person, on)
        case Lead(step=step):
            return lead(table, person, step)


def lead(table: TableState, person: str, step: int | None) -> TableState | Refusal:
    """Show the others a step of the last game's replay, instead of who led before; None: lead no longer."""
    seat = table.seating.seat_of(person)
    if seat is None:
        return Refusal("not-seated")
    if table.state != "finished":
        return Refusal("not-finished")
    led = table.led is not None and table.led[0] == person
    if step is None:
        return replace(table, led=None).with_change() if led else table
    news = None if led else News("leads", table.seating.chairs[seat].name)
    return replace(table, led=(person, step)).with_change(news)


def join(table: TableState, person: str, name: str, guest: bool = False) -> TableState | Refusal:
    """Come to the table and to a seat: the person's own, else the first free one."""
    if table.seating.seat_of(person) is not None:
        return watch(table, person, name, guest)
    free = table.seating.first_free()
    if table.state != "open" or free is None:
        return Refusal("full")
    return _seat(_come(table, person, name, guest), free, person)


def take_seat(table: TableState, person: str, name: str) -> TableState | Refusal:
    """Take the first free seat of a challenge, without coming to the table for it; the person has a key."""
    free = table.seating.first_free()
    if table.seating.seat_of(person) is not None:
        return Refusal("seated")
    if table.state != "open" or free is None:
        return Refusal("full")
    if not table.is_challenge:
        return Refusal("no-challenge", table.code)
    if person in table.attendance.present:
        return _seat(table, free, person)
    taken = _seat(_come(table, person, name, guest=False), free, person)
    return taken if isinstance(taken, Refusal) else leave(taken, person)


def watch(table: TableState, person: str, name: str, guest: bool = False) -> TableState:
    """Come to the table to watch, or back to the person's seat; nobody is refused."""
    new = person not in table.attendance.present
    table = _come(table, person, name, guest)
    if table.seating.seat_of(person) is not None:
        table = replace(table, seating=table.seating.rename(person, name))
        table = table.with_change(News("back", name) if new else None)
    else:
        table = table.changed_quietly(News("watches", name) if new else None)
    return look_round(table)


def _come(table: TableState, person: str, name: str, guest: bool) -> TableState:
    return replace(table, attendance=table.attendance.come(person, name, guest))


def leave(table: TableState, person: str) -> TableState:
    """Go. A seat at an open table becomes free, unless it is a challenge; in a dealt game it stays the player's."""
    seat = table.seating.seat_of(person)
    if person in table.attendance.present and seat is not None and table.state == "open":
        kept = table.keeps_seat(person)
        table = _miss(table, person) if kept else replace(table, seating=table.seating.free(seat))
    return _go(table, person, "left", seated=seat is not None)


def _miss(table: TableState, person: str) -> TableState:
    return replace(table, attendance=table.attendance.miss([person], table.ports.clock()))


def cut_off(table: TableState, person: str) -> TableState:
    """Go because the connection broke: the seat stays theirs, at an open table for SEAT_KEPT seconds."""
    seated = table.seating.seat_of(person) is not None
    if person in table.attendance.present and seated and table.state == "open":
        table = _miss(table, person)
    return _go(table, person, "cut-off" if seated else "left", seated=seated)


def _go(table: TableState, person: str, how: NoticeKind, *, seated: bool) -> TableState:
    name = table.attendance.present.get(person)
    if name is None:
        return table
    table = take_votes_back(replace(table, attendance=table.attendance.go(person)), person)
    news = News(how, name)
    return look_round(table.with_change(news) if seated else table.changed_quietly(news))


def rename(table: TableState, person: str, name: str) -> TableState:
    """Show the new name of somebody who is here or has a seat."""
    old = table.attendance.present.get(person)
    table = replace(table, seating=table.seating.rename(person, name))
    if old is not None:
        present = {**table.attendance.present, person: name}
        table = replace(table, attendance=replace(table.attendance, present=present))
    return table.with_change(None if old is None or old == name else News("renamed", old, name))


def bot_without_clock(order: Order, person: str) -> Refusal | None:
    """Return why `person` takes no seat at a table like `order`: a bot account that never moves would hold it up."""
    return Refusal("bot-clock") if is_bot_person(person) and order.time_control.clock == "none" else None


def sit(table: TableState, person: str, seat: Seat) -> TableState | Refusal:
    """Take the free `seat`."""
    if table.state != "open":
        return Refusal("not-open")
    if table.seating.seat_of(person) is not None:
        return Refusal("seated")
    if not table.seating.is_free(seat):
        return Refusal("seat-taken")
    return _seat(table, seat, person)


def _seat(table: TableState, seat: Seat, person: str) -> TableState | Refusal:
    """Seat the person, and deal if that was the last free seat."""
    refusal = bot_without_clock(table.order, person)
    if refusal is not None:
        return refusal
    name, guests = table.attendance.present[person], table.attendance.guests
    seating = table.seating.sit(seat, person, name, person in guests)
    table = replace(table, seating=seating).with_change(News("sits", name))
    return deal_game(table) if seating.first_free() is None else table


def stand(table: TableState, person: str) -> TableState | Refusal:
    """Give the seat back and watch, while no game runs."""
    seat = table.seating.seat_of(person)
    if seat is None:
        return Refusal("not-seated")
    if table.state == "playing":
        return Refusal("not-open")
    name = table.seating.chairs[seat].name
    seating = table.seating.free(seat) if table.state == "open" else table.seating.give_up(seat)
    attendance = table.attendance.forget(person)
    table = replace(table, seating=seating, attendance=attendance, wants_again=table.wants_again - {person})
    return agree(table.with_change(News("stands", name)))


def say(
    table: TableState, person: str, text: str, longest: int = LONGEST, origin: str = ""
) -> TableState | Refusal:
    """Add a line of chat of at most `longest` characters from the network `origin`."""
    seat, cleaned = table.seating.seat_of(person), clean_text(text, longest)
    if cleaned is None:
        is_too_long = clean_text(text, sys.maxsize) is not None
        return Refusal("long-text", str(longest)) if is_too_long else Refusal("bad-text")
    present = table.attendance.present
    if person not in present and seat is None:
        return Refusal("not-in-room")
    name = present[person] if seat is None else table.seating.chairs[seat].name
    who = table.ports.authors.mark(person)
    chat = table.chat.say(name, cleaned, table.channel(seat is None), who, origin)
    return replace(table, chat=chat, chat_version=table.chat_version + 1)


def return_from_downtime(table: TableState) -> TableState:
    """Return the table after a restart: nobody is here, and everybody with a seat was cut off now."""
    now = table.ports.clock()
    if table.state == "open":
        table = replace(table, attendance=table.attendance.miss(table.seating.persons(), now))
    if table.match is not None:
        table = table.with_match(replace(table.match, timing=table.match.timing.restart_after_downtime(now)))
    return look_round(table)


def erase(table: TableState, person: str) -> TableState:
    """Remove somebody who deleted their account; the moves of a dealt game stay.

    A table that has nothing of theirs is returned as it is, so that a deletion isn't written to every table.
    """
    seat, attendance = table.seating.seat_of(person), table.attendance
    names = {attendance.present.get(person, ""), "" if seat is None else table.seating.chairs[seat].name}
    before, version = table, table.chat_version
    table = replace(
        table,
        opener="" if table.opener == person else table.opener,
        chat=table.chat.erase(table.ports.authors.mark(person), names - {""}),
        attendance=attendance.forget(person).go(person),
        wants_again=table.wants_again - {person},
        led=None if table.led is not None and table.led[0] == person else table.led,
    )
    if seat is None and table == before:
        return before
    table = replace(table, chat_version=version + 1)
    if seat is not None and table.state == "open":
        table = replace(table, seating=table.seating.free(seat))
    elif seat is not None:
        table = replace(table, seating=table.seating.erase(seat))
        if table.match is not None:
            table = table.with_match(table.match.erase(table.seating, seat, person, table.ports.clock()))
    return agree(look_round(table.with_change()))
