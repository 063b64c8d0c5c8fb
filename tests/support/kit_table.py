"""A table of no game in particular, for what every table shows."""

from collections.abc import Sequence

import msgspec

from cartino_games.kit.marks import marks_for
from cartino_games.kit.scene import TableScene, names_of
from cartino_games.kit.text import Chunk
from cartino_protocol.base import Seat, SeatKind
from cartino_protocol.views import ResultView, SeatView, TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.game_port.screen import Look, TableChrome

SMALL, MIDDLE, LARGE = Look(80, 24), Look(120, 40), Look(200, 60)
LOOKS = (Look(60, 20), SMALL, MIDDLE, LARGE, Look(60, 20, ascii=True), Look(80, 24, ascii=True))
NAMES = ("Ann", "Bartholomew XVI.", "Léa", "Johann Sebastian")
KINDS: Sequence[SeatKind] = ("human", "bot", "human", "human")
AWAY = 2
HINTS = (("t", "talk"), (":", "more"), ("?", "help"), ("q", "leave"))
AROUND = TableChrome("Caro · K7QP", "3 watching", (("Léa", "good luck"), ("", "eve is watching")), "", HINTS)


def kit_table(
    seats: int = 4,
    you: Seat | None = 0,
    turn: tuple[Seat, ...] = (0,),
    result: ResultView | None = None,
    substitutes: Sequence[Seat] = (),
) -> TableView:
    """A room in which `turn` are to act, bots play for `substitutes`, and seat 1 is a bot, seat 2 away."""
    return TableView(
        code="K7QP",
        game="none",
        options={},
        state="finished" if result else "playing",
        number=1,
        seats=tuple(
            SeatView(
                NAMES[seat],
                KINDS[seat],
                here=seat != AWAY,
                substitute="greedy" if seat in substitutes else "",
            )
            for seat in range(seats)
        ),
        owner=0,
        you=you,
        spectators=0,
        commitment="91cd04ee" * 8,
        turn=() if result else turn,
        result=result,
    )


def kit_scene(room: TableView | None = None, look: Look = SMALL, around: TableChrome = AROUND) -> TableScene:
    """The scene of a table."""
    room = kit_table() if room is None else room
    return TableScene(room, look, around, marks_for(look), names_of(room, look))


def saying(status: str) -> TableChrome:
    """The usual surroundings with a status sentence of the app's."""
    return msgspec.structs.replace(AROUND, status=status)


def canvas_of(scene: TableScene) -> Canvas:
    """An empty canvas as large as the screen."""
    return Canvas(scene.look.width, scene.look.height)


def lines_of(canvas: Canvas) -> list[str]:
    """What was drawn, row by row, blanks at the right cut."""
    return canvas.frame().text().split("\n")


def plain_text(chunk: Chunk) -> str:
    """Return the words of a chunk."""
    return "".join(text for text, _ in chunk)
