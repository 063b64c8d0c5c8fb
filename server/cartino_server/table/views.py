"""Build what each audience sees of a table, and send it to the links there.

This is the only place where a table becomes what travels. A view is encoded once per audience, and only when it
changed. Players get it at once, spectators right after them in portions, so that nobody waits behind hundreds.
"""

import asyncio
import contextvars
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final

import msgspec
from msgspec import structs

from cartino_engine.port import Result
from cartino_protocol.base import Audience, Seat
from cartino_protocol.link import ViewKind
from cartino_protocol.views import (
    ChatView,
    ClaimView,
    LedReview,
    ResultView,
    SavedSelection,
    SeatLine,
    SeatView,
    TableLine,
    TableView,
)
from cartino_protocol.wire import MAX_VIEW_BYTES, encode
from cartino_server.table.link import ServerLink
from cartino_server.table.match import Match, substitute_for
from cartino_server.table.seating import Chair
from cartino_server.table.state import SeatReview, TableState, minute_of

MAX_SELECTION_BYTES: Final = 256
MAX_NAMED_SPECTATORS = 5
"""How many spectators a view names; the others are only counted."""


class ViewTooLarge(Exception):
    """A game's view is larger than clients accept, which is the game's defect."""


def game_view(match: Match, audience: Audience, *, sealed: bool = False) -> bytes:
    """Return the encoded view of `audience`, which is all that a bot gets to see. Raises ViewTooLarge.

    `sealed`: its end reveals nothing, because others have still to play the same deal.
    """
    show = match.game.sealed_view if sealed else match.game.view
    view = encode(show(match.state, audience))
    if len(view) > MAX_VIEW_BYTES:
        raise ViewTooLarge(f"{len(view)} bytes")
    return view


def table_view(table: TableState, audience: Audience) -> TableView:
    """Return the table as the player on seat `audience` sees it, or as spectators do (None)."""
    watchers, deal = table.spectators, table.order.deal
    view = TableView(
        code=table.code,
        game=table.order.game.name,
        options=dict(table.options),
        state=table.state,
        number=table.number,
        seats=tuple(_seat_view(table, seat, chair) for seat, chair in enumerate(table.seating.chairs)),
        owner=table.seating.owner,
        you=audience,
        spectators=len(watchers),
        watchers=watchers[:MAX_NAMED_SPECTATORS],
        commitment=table.commitment,
        open=table.order.open,
        clock=table.order.time_control.clock,
        absence=table.order.time_control.absence,
        hints=table.order.hints,
        sealed=minute_of(deal.closes) if deal is not None and table.is_sealed else "",
        once=deal is not None,
        duplicate="" if deal is None or deal.daily else deal.name,
        practice=deal is not None and deal.practice,
    )
    return view if table.state == "open" or table.match is None else _with_game(view, table, table.match)


def table_line(table: TableState) -> TableLine:
    """Return the table as lists show it."""
    return TableLine(
        code=table.code,
        game=table.order.game.name,
        options=dict(table.options),
        seats=tuple(SeatLine(chair.name, chair.kind) for chair in table.seating.chairs),
        spectators=len(table.spectators),
        state=table.state,
        turn=() if table.running is None else table.running.on_turn(),
        commitment=table.commitment,
        clock=table.order.time_control.clock,
        paused=table.is_paused,
        away=table.seating.absent(table.attendance.present) if table.is_challenge else (),
    )


def _with_game(view: TableView, table: TableState, match: Match) -> TableView:
    result, running = match.result, table.running
    wants_pause = frozenset[str]() if running is None else running.wants_pause
    return structs.replace(
        view,
        turn=match.on_turn(),
        game_view=msgspec.Raw(game_view(match, view.you, sealed=view.sealed != "")),
        again=tuple(
            seat for seat, chair in enumerate(table.seating.chairs) if chair.person in table.wants_again
        ),
        result=None if result is None else _result(table, result, view.you),
        seed=table.seed,
        next_commitment=table.next_commitment,
        paused=table.is_paused,
        votes=tuple(seat for seat, chair in enumerate(table.seating.chairs) if chair.person in wants_pause),
        claim=None if running is None else _claim(running, table.ports.clock()),
        led=_led(table),
    )


def _led(table: TableState) -> LedReview | None:
    seat = None if table.led is None else table.seating.seat_of(table.led[0])
    return None if table.led is None or seat is None else LedReview(seat, table.led[1])


def _result(table: TableState, result: Result, audience: Audience) -> ResultView:
    review = SeatReview() if audience is None else table.reviews.get(audience, SeatReview())
    own = review.rating, review.missed, review.lost, review.place
    return ResultView(result.totals, result.winners, result.reason, *own)


def _seat_view(table: TableState, seat: Seat, chair: Chair) -> SeatView:
    here = chair.kind != "human" or chair.person in table.attendance.present
    match = table.running
    if match is None:
        return SeatView(chair.name, chair.kind, here, chair.cut != "")
    left = _rounded(match.timing.seconds_left(seat, table.ports.clock()))
    return SeatView(
        chair.name,
        chair.kind,
        here,
        substitute=substitute_for(match, table.seating, seat),
        left=left,
        substituted=seat in match.substituted,
    )


def _claim(match: Match, now: float) -> ClaimView | None:
    claim = match.timing.window.claim
    if claim is None:
        return None
    return ClaimView(claim.seats, _rounded(match.timing.window.seconds_left(now)), claim.silence is not None)


def _rounded(left: float | None) -> float | None:
    return None if left is None else round(left, 1)


PORTION: Final = 16
"""Links that are shown something in one turn of the loop: some milliseconds of drawing, then it is others' turn."""


class SpectatorQueue:
    """Views that spectators still wait for; sent from the loop's next turn on, when the players have them."""

    def __init__(self) -> None:
        """Start empty."""
        self._waiting: dict[ServerLink, dict[ViewKind, bytes]] = {}
        self._next: asyncio.Handle | None = None

    def show(self, links: Iterable[ServerLink], views: Mapping[ViewKind, bytes]) -> None:
        """Queue `views` for all `links`, in place of older ones."""
        for link in links:
            self._waiting.setdefault(link, {}).update(views)
        self._go_on()

    def forget(self, link: ServerLink) -> None:
        """Drop what `link` waits for."""
        self._waiting.pop(link, None)

    def finish(self) -> None:
        """Send everything now."""
        self._serve(len(self._waiting))

    def _go_on(self) -> None:
        if self._waiting and self._next is None:
            # It must not keep alive what belongs to the session that caused it.
            loop = asyncio.get_running_loop()
            self._next = loop.call_soon(self._serve_portion, context=contextvars.Context())

    def _serve_portion(self) -> None:
        self._next = None
        self._serve(PORTION)
        self._go_on()

    def _serve(self, most: int) -> None:
        for link in tuple(islice(self._waiting, most)):
            for kind, frame in self._waiting.pop(link).items():
                link.put_view(kind, frame)


class Broadcast:
    """The links at a table. Players get views at once, spectators right after them."""

    def __init__(self) -> None:
        """Start without links."""
        self.links: dict[ServerLink, None] = {}
        self._selections: dict[str, bytes] = {}
        """What players have selected, by person, for their next link here; never written to disk."""
        self._fresh: dict[ServerLink, None] = {}
        self._spectators = SpectatorQueue()
        self._shown = self._shown_chat = self._news = -1
        self._held_until = float("-inf")

    def admit(self, link: ServerLink) -> None:
        """Add `link`; it gets all views with the next `send`."""
        self.links[link] = None
        self._fresh[link] = None

    def remove(self, link: ServerLink) -> None:
        """Remove `link`; may be called twice."""
        self.links.pop(link, None)
        self._fresh.pop(link, None)
        self._spectators.forget(link)

    def links_of(self, person: str) -> tuple[ServerLink, ...]:
        """Return the links of `person` here."""
        return tuple(link for link in self.links if link.person.id == person)

    def select(self, person: str, selection: bytes) -> bool:
        """Keep what the player has selected; return whether it is small enough."""
        if len(selection) > MAX_SELECTION_BYTES:
            return False
        self._selections[person] = selection
        return True

    def forget_selection(self, person: str) -> None:
        """Drop what the person has selected."""
        self._selections.pop(person, None)

    def is_behind(self, table: TableState) -> bool:
        """Return whether the table changed since it was last sent to all."""
        return table.version != self._shown

    def send(self, table: TableState, now: float = 0.0, pause: float = 0.0) -> float | None:
        """Send what changed since the last time, and everything to new links.

        Changes of spectators, of whom hundreds may come at once, are held back until `pause` seconds after the last
        time. Returns the seconds from `now` until then; None if nothing is held back.
        """
        changed, talked = self.is_behind(table), table.chat_version != self._shown_chat
        held = (changed or talked) and table.change_number == self._news and now < self._held_until
        if held:
            self._show(table, self._fresh, (TableView, ChatView))
        else:
            older = [link for link in self.links if link not in self._fresh]
            self._show(table, older, (*[TableView] * changed, *[ChatView] * talked))
            self._show(table, self._fresh, (TableView, ChatView))
            self._shown, self._shown_chat, self._news = table.version, table.chat_version, table.change_number
            self._held_until = now + pause if changed or talked else self._held_until
        for link in self._fresh:
            selection = self._selections.get(link.person.id)
            if selection is not None and table.running is not None:
                link.put(SavedSelection(msgspec.Raw(selection)))
        self._fresh.clear()
        return self._held_until - now if held else None

    def finish(self) -> None:
        """Send now what spectators still wait for."""
        self._spectators.finish()

    def _show(self, table: TableState, links: Iterable[ServerLink], kinds: tuple[ViewKind, ...]) -> None:
        audiences: dict[Audience, list[ServerLink]] = {}
        for link in links:
            audiences.setdefault(table.seating.seat_of(link.person.id), []).append(link)
        watching = audiences.pop(None, [])
        chat = encode(table.chat_view(False)) if ChatView in kinds else b""

        def views(seat: Audience) -> dict[ViewKind, bytes]:
            seen: dict[ViewKind, bytes] = {}
            if TableView in kinds:
                seen[TableView] = encode(table_view(table, seat))
            if ChatView in kinds:
                seen[ChatView] = encode(table.chat_view(True)) if seat is None else chat
            return seen

        for seat, players in audiences.items():
            seen = views(seat)
            for link in players:
                self._spectators.forget(link)
                for kind, frame in seen.items():
                    link.put_view(kind, frame)
        if watching and kinds:
            self._spectators.show(watching, views(None))
