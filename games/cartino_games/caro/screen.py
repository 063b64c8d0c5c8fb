"""Caro's screen: the board of the kit, with calls."""

from collections.abc import Mapping, Sequence
from typing import Final

from typing_extensions import override

from cartino_games.caro.description import CaroDescription
from cartino_games.caro.views import (
    Accept,
    AcceptLine,
    Call,
    CallLine,
    CaroLayLine,
    CaroView,
    ForfeitLine,
    UndoLine,
)
from cartino_games.kit.bars import Hint
from cartino_games.kit.boards.screen import BoardPointer, BoardScene, BoardScreen
from cartino_games.kit.boards.table_speech import piece_letters
from cartino_games.kit.boards.views import RoundLine, place_at
from cartino_games.kit.marks import Marks, signed
from cartino_games.kit.since import in_a_row, player
from cartino_games.kit.text import Chunk, Paragraph, Piece, led, phrase, width
from cartino_protocol.base import Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.game_port.screen import Look, Reaction

Scene = BoardScene[CaroView]
_PENALTY: Final = 10
"""What a wrong call costs."""
_OTHER: Final = 9
"""The cells of the name of whose move is called."""


def _points(points: int, marks: Marks) -> Sequence[Piece]:
    return ((signed(points, marks), "points"),)


class CaroScreen(CaroDescription, BoardScreen[CaroView]):
    """Draws Caro and reads keys and clicks for it."""

    key_help = (
        ("1-4", N_("choose red, black, grey or white")),
        ("↑ ↓ ← → k j h l", N_("move between the possible places; each shows its points")),
        ("Enter", N_("lay the caro at the cursor")),
        ("Esc Backspace", N_("put the caro back")),
        ("c", N_("call the last move: it breaks a rule (honour system)")),
        ("a", N_("accept the last move of a round (honour system)")),
        (
            N_("click"),
            N_("a colour to choose it, a place to lay it there, a word in the bottom line to run it"),
        ),
        ("(R)", N_("on the board: the last caro laid")),
        (N_("call?"), N_("next to a player: can still call or accept the last move")),
    )

    @override
    def news(self, scene: Scene) -> str:
        """Return what came of a call, and the rule."""
        view, translator = scene.view, scene.look.translator
        line = next(
            (e for e in view.recent[::-1] if isinstance(e, CallLine | ForfeitLine | CaroLayLine)), None
        )
        if line is None or isinstance(line, CaroLayLine):
            return ""
        return f"{self.said(scene.room, line, translator)} {self.verdict(view, translator)}".strip()

    @override
    def noted(self, scene: Scene, line: RecordLine, *, newest: bool) -> Paragraph:
        """Return a lay in a few signs: `Ann B e1 ×2 +20`; calls in a row as well."""
        marks, cells, gettext = scene.marks, scene.plan.moves.width, scene.look.translator.gettext
        places: dict[str, Sequence[Piece]] = {}
        match line:
            case CaroLayLine():
                return self._noted_lay(scene, line, newest=newest)
            case CallLine(against=other, right=right):
                said = N_("{name} calls {other}: right") if right else N_("{name} calls {other}: {points}")
                places = {"other": player(scene, other, cells=_OTHER), "points": _points(-_PENALTY, marks)}
            case UndoLine(x=x, y=y, points=points):
                said = N_("{name} takes {place} back: {points}")
                place = place_at(x, y, scene.view.span)
                places = {"place": ((place, "name"),), "points": _points(-points, marks)}
            case AcceptLine():
                said = N_("{name} accepts the last move.")
            case _:
                return super().noted(scene, line, newest=newest)
        return phrase(in_a_row(scene, gettext(said), line.seat, cells, newest=newest, **places))

    def _noted_lay(self, scene: Scene, line: CaroLayLine, *, newest: bool) -> Paragraph:
        letter = piece_letters(self.pieces, scene.look.translator)[line.colour]
        place = place_at(line.x, line.y, scene.view.span)
        doubled = (" x2" if scene.look.ascii else " ×2") * line.doubled
        caught = f" {signed(-line.penalty, scene.marks)}" if line.penalty else ""
        lay: Chunk = (
            (" ", "dim"),
            (f"{letter} {place}", f"piece-{line.colour}"),
            (f"{doubled} {signed(line.points, scene.marks)}{caught}", "points"),
        )
        room = scene.plan.moves.width - width(lay) - 1
        return led(player(scene, line.seat, newest=newest, cells=room)), lay

    @override
    def newest(self, view: CaroView) -> Mapping[str, Seat]:
        begun = max((at for at, line in enumerate(view.recent) if isinstance(line, RoundLine)), default=0)
        lays = [line for line in view.recent[begun:] if isinstance(line, CaroLayLine)]
        last = {line.seat: place_at(line.x, line.y, view.span) for line in lays}
        return {place: seat for seat, place in last.items()}

    @override
    def hints(self, room: RoomView, look: Look) -> Sequence[Sequence[Hint]]:
        """Return the hints, with calling and accepting while they can be done."""
        claim, gettext, shown = room.claim, look.translator.gettext, look.key_shown
        may = claim is not None and room.you in claim.seats
        answers = [Hint(shown("c"), gettext("call"), "c")] * may
        if claim and claim.stops:
            return ((*answers, *[Hint(shown("a"), gettext("accept"), "a")] * may),)
        return [(*answers, *hints) for hints in super().hints(room, look)]

    @override
    def hint(self, room: RoomView, view: CaroView, look: Look) -> str:
        return self.hint_words(view, look.translator)[0]

    @override
    def press(self, scene: Scene, key: str) -> Reaction[BoardPointer]:
        if key not in ("c", "a") or scene.you is None:
            return super().press(scene, key)
        if not scene.view.claim or (key == "a" and not scene.view.closing):
            return Reaction(scene.pointer, status=self.refused("no-call", scene.look.translator))
        return Reaction(scene.pointer, Call() if key == "c" else Accept())
