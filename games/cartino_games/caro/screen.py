"""Caro's table on the screen: a letter on a filled square a caro, laid by keys and clicks; calls."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from typing_extensions import override

from cartino_games.caro.board import BoardPlan, draw_board, draw_place, newest_lays, plan_board
from cartino_games.caro.description import CaroDescription, colour_letters
from cartino_games.caro.roles import PIECE_ROLES
from cartino_games.caro.views import (
    Accept,
    AcceptLine,
    Call,
    CallLine,
    CaroLayLine,
    CaroView,
    ForfeitLine,
    SeatRecordLine,
    UndoLine,
    place_at,
    place_of,
    spot,
)
from cartino_games.caro.words import COLOUR_NAMES
from cartino_games.kit.bars import Hint, describe_end, draw_hints, waiting
from cartino_games.kit.grid import DIRECTIONS, Place, nearest
from cartino_games.kit.log import draw_log, talks
from cartino_games.kit.marks import Marks, marks_for, number, signed
from cartino_games.kit.players import PlayerLine, draw_players, seat_sign
from cartino_games.kit.result import Accounts, Ending, Entry, Heading
from cartino_games.kit.scene import TableScene, names_of
from cartino_games.kit.screen import BACK, GameTableScreen, TablePointer, not_now, number_of
from cartino_games.kit.since import in_a_row, player, since_own, with_player
from cartino_games.kit.text import Chunk, Paragraph, Piece, draw_panel, first_that_fits, led, phrase, width
from cartino_protocol.base import Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas, Row
from cartino_tui.game_port.screen import Look, Reaction, TableChrome

_COLOURS: Final = tuple(COLOUR_NAMES)
"""The letters of the colours; keys 1 to 4 pick them in this order."""
_PENALTY: Final = 10
"""What a wrong call costs."""
_OTHER: Final = 9
"""The cells of the name of whose move is called."""


class CaroPointer(TablePointer, frozen=True, kw_only=True):
    """The letter of the colour that was picked, "" for none, and the place where the cursor stands."""

    colour: str = ""
    place: str = ""


class CaroScene(TableScene, frozen=True):
    """The table with its view, pointer and places."""

    view: CaroView
    pointer: CaroPointer
    plan: BoardPlan

    @property
    @override
    def turn(self) -> tuple[Seat, ...]:
        return self.view.on_turn

    def offered(self) -> dict[Place, int]:
        """Return the places for the picked colour with their points; without one all places, without points."""
        picked = self.pointer.colour
        return {spot(w[1:]): n for w, n in self.view.lays.items() if picked in ("", w[0])}


class CaroScreen(CaroDescription, GameTableScreen[CaroView, CaroPointer, CaroScene]):
    """Draws Caro and reads keys and clicks for it."""

    roles = (PIECE_ROLES,)
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
    def fresh(self) -> CaroPointer:
        return CaroPointer()

    @override
    def update_pointer(self, table: TableView, view: CaroView, pointer: CaroPointer) -> CaroPointer:
        """Put back a colour that can't be laid; pick it where there is but one."""
        colours = {word[0] for word in view.lays}
        colour = pointer.colour if pointer.colour in colours else colours.pop() if len(colours) == 1 else ""
        return _pointed(view, msgspec.structs.replace(pointer, colour=colour))

    @override
    def scene(
        self, table: TableView, view: CaroView, pointer: CaroPointer, look: Look, around: TableChrome
    ) -> CaroScene:
        plan = plan_board(look, view, len(table.seats))
        return CaroScene(table, look, around, marks_for(look), names_of(table, look), view, pointer, plan)

    @override
    def state(self, scene: CaroScene) -> str:
        translator = scene.look.translator
        if scene.is_over:
            return describe_end(scene)
        asked = [self._answered(scene), self.describe_duty(scene.table, scene.view, translator)]
        if not scene.mine and len(scene.turn) > 1:
            asked.append(
                translator.gettext("Waiting for {name}.", name=", ".join(map(scene.name, scene.turn)))
            )
        elif not scene.mine:
            asked.append(first_that_fits(waiting(scene, scene.turn[0]), scene.width - 2))
        elif asked[0] and not asked[1]:
            asked.append(translator.gettext("Your turn."))
        elif scene.view.lays and not asked[0]:
            picked = translator.gettext("Enter to lay, Esc to put it back.")
            unpicked = translator.gettext("Your turn: pick a colour with 1-{n} or a click.", n=len(_COLOURS))
            asked.append(picked if scene.pointer.colour else unpicked)
        return " ".join(filter(None, asked))

    def _answered(self, scene: CaroScene) -> str:
        """Return what came of a call of the last lay, and the rule; "" for no call."""
        view, translator = scene.view, scene.look.translator
        line = next(
            (e for e in view.recent[::-1] if isinstance(e, CallLine | ForfeitLine | CaroLayLine)), None
        )
        if line is None or isinstance(line, CaroLayLine):
            return ""
        said = self.line_sentence(scene.table, line, translator)
        return f"{said} {self.verdict(view, translator)}".strip()

    @override
    def title_facts(self, scene: CaroScene) -> Sequence[str]:
        """Return the round, where there are several."""
        view, gettext = scene.view, scene.look.translator.gettext
        return (
            (gettext("round {n}", n=len(view.by_round) + 1),) if view.by_round and not scene.is_over else ()
        )

    @override
    def ending(self, scene: CaroScene) -> Ending:
        """Return the points by rounds, and the course of the totals."""
        view, translator, totals = scene.view, scene.look.translator, scene.view.totals
        rounds = view.by_round if len(view.by_round) > 1 else ()
        headings = [
            Heading(translator.gettext("round {n}", n=at), str(at)) for at, _ in enumerate(rounds, 1)
        ] + [Heading(translator.pgettext("account", "total"), translator.pgettext("account", "total"))]
        entries = [
            Entry(
                seat,
                1 + sum(other > totals[seat] for other in totals),
                [(number(each[seat], scene.marks), "text") for each in rounds]
                + [(number(totals[seat], scene.marks), "points")],
            )
            for seat in sorted(range(len(totals)), key=lambda seat: (-totals[seat], seat))
        ]
        courses = [(0, *(turn[seat] for turn in view.course)) for seat in range(len(totals))]
        result = scene.table.result
        why = self.endings.get(result.reason, "") if result else ""
        why = translator.gettext(why) if why else ""
        return Ending(
            why[:1].upper() + why[1:] + "." * bool(why),
            "",
            Accounts(headings, entries),
            courses,
            chance=self.chance_of(scene.table.options),
        )

    @override
    def hints(self, table: TableView, look: Look) -> Sequence[Sequence[Hint]]:
        """Return a hint a colour, to click on, while one may lay, and calling and accepting while one may."""
        claim, gettext, shown = table.claim, look.translator.gettext, look.key_shown
        may = claim is not None and table.you in claim.seats
        answers = [Hint(shown("c"), gettext("call"), "c")] * may
        if claim and claim.stops:
            return ((*answers, *[Hint(shown("a"), gettext("accept"), "a")] * may),)
        if table.you not in table.turn:
            return (answers,)
        lay = Hint(shown("Enter"), gettext("lay"), "enter")
        named = [Hint(str(at), gettext(name), str(at)) for at, name in enumerate(COLOUR_NAMES.values(), 1)]
        letters = colour_letters(look.translator).values()
        short = [Hint(str(at), letter, str(at)) for at, letter in enumerate(letters, 1)]
        return [(*answers, *hints) for hints in ((*named, lay), (*short, lay), short)]

    @override
    def own_hints(self, scene: CaroScene) -> Sequence[Hint]:
        """Return the hints whose keys do something now: colours that can be laid, and laying once one is picked."""
        own = super().own_hints(scene)
        return own if scene.is_over else [hint for hint in own if _works(hint.key, scene)]

    @override
    def signs(self, scene: CaroScene) -> Sequence[Piece]:
        """Return the colours."""
        letters = colour_letters(scene.look.translator)
        return [(shown, f"piece-{letter}") for letter, shown in letters.items()]

    @override
    def sample(self, look: Look) -> Sequence[Row]:
        """Return the colours."""
        letters = colour_letters(look.translator)
        return [tuple((f" {shown} ", f"piece-{letter}") for letter, shown in letters.items())]

    @override
    def why(self, table: TableView, view: CaroView, pointer: CaroPointer, look: Look, back: int) -> str:
        """Return what was done last, or before that."""
        recent = view.recent
        return self.line_sentence(table, recent[-1 - back], look.translator) if back < len(recent) else ""

    @override
    def hint(self, table: TableView, view: CaroView, look: Look) -> str:
        return self.hint_words(view, look.translator)[0]

    @override
    def draw_still(self, canvas: Canvas, scene: CaroScene) -> None:
        view, plan, marks, gettext = scene.view, scene.plan, scene.marks, scene.look.translator.gettext
        letters = colour_letters(scene.look.translator)
        signs = {place: seat_sign(scene, seat)[0] for place, seat in newest_lays(view).items()}
        draw_board(canvas, scene, plan.grid, view, letters, signs)
        if plan.framed:
            draw_panel(canvas, scene, plan.players, gettext("Score"))
        else:
            for box in (plan.moves, plan.talk) if talks(scene) else (plan.moves,):
                canvas.put(box.x, box.y - 1, marks.across * box.width, "rule")
        draw_players(canvas, scene, plan.players, _players(scene, letters))
        seats = [line.seat if isinstance(line, SeatRecordLine) else None for line in view.recent]
        turns = (
            self._noted(scene, view.recent[at], newest=seats[at] not in seats[at + 1 :])
            for at in reversed(range(len(seats)))
        )
        since = since_own(seats, scene)
        before = view.told - len(view.recent)
        draw_log(canvas, scene, turns, plan.moves, plan.talk, headed=plan.framed, since=since, before=before)
        if not plan.framed:
            said = f"{marks.since}{gettext('Since your turn')}" if since else gettext("Moves")
            canvas.put(plan.moves.x + 1, plan.moves.y - 1, f" {said} ", "heading")

    def _noted(self, scene: CaroScene, line: RecordLine, *, newest: bool) -> Paragraph:
        """Return a record line as the log has it, a lay in a few signs: `Ann B e1 ×2 +20`; calls in a row as well.

        `newest`: it is the last one of its player.
        """
        marks, cells, translator = scene.marks, scene.plan.moves.width, scene.look.translator
        places: dict[str, Sequence[Piece]] = {}
        match line:
            case CaroLayLine():
                return _noted_lay(scene, line, newest=newest)
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
                sentence = scene.safe(self.line_sentence(scene.table, line, translator))
                seat = line.seat if isinstance(line, SeatRecordLine) else None
                return phrase(with_player(scene, sentence, seat, newest=newest))
        return phrase(in_a_row(scene, translator.gettext(said), line.seat, cells, newest=newest, **places))

    @override
    def draw_choice(self, canvas: Canvas, scene: CaroScene) -> None:
        """Draw the points of the places for the picked colour, and the cursor."""
        grid, pointer, marks = scene.plan.grid, scene.pointer, scene.marks
        for place, points in scene.offered().items():
            text = str(points) if pointer.colour else marks.dot
            here = place_of(*place) == pointer.place
            if here and len(text) > grid.width - 2:
                text = marks.dot
            draw_place(canvas, grid, place, text, "place-open")
            box = grid.cell_box(*place)
            if here and box:
                # A row alone, or each step of the cursor would fill two whole places.
                y = box.y + (box.height - 1) // 2
                canvas.paint(box.x, y, box.width, "place-cursor")
                canvas.put(box.x, y, marks.left, "place-cursor")
                canvas.put(box.x + box.width - 1, y, marks.right, "place-cursor")
        draw_hints(canvas, scene, self.own_hints(scene))

    @override
    def press(self, scene: CaroScene, key: str) -> Reaction[CaroPointer]:
        pointer, colour = scene.pointer, number_of(key)
        if key in ("c", "a") and scene.you is not None:
            if not scene.view.claim or (key == "a" and not scene.view.closing):
                return Reaction(pointer, status=self.describe_refusal("no-call", scene.look.translator))
            return Reaction(pointer, Call() if key == "c" else Accept())
        if key not in {*DIRECTIONS, *BACK, "enter"} and (colour is None or colour >= len(_COLOURS)):
            return Reaction(pointer, taken=False)
        if said := not_now(scene):
            return Reaction(pointer, status=said)
        if colour is not None:
            return _pick(scene, _COLOURS[colour])
        if key in BACK:
            return Reaction(msgspec.structs.replace(pointer, colour=""))
        if key == "enter":
            return self._lay(scene, pointer.place)
        start = spot(pointer.place) if pointer.place else (scene.view.top, scene.view.left)
        found = nearest(start, DIRECTIONS[key], scene.offered())
        if found is None:
            return Reaction(pointer)
        return Reaction(msgspec.structs.replace(pointer, place=place_of(*found)))

    @override
    def tap(self, scene: CaroScene, x: int, y: int) -> Reaction[CaroPointer]:
        """Lay the picked colour on the place that is clicked."""
        found = scene.plan.grid.cell_at(x, y)
        if found not in scene.offered():
            return Reaction(scene.pointer, status=not_now(scene), taken=found is not None)
        return self._lay(scene, place_of(*found))

    def _lay(self, scene: CaroScene, place: str) -> Reaction[CaroPointer]:
        pointer = msgspec.structs.replace(scene.pointer, place=place)
        word = pointer.colour + place
        if word in scene.view.lays:
            return Reaction(pointer, self.move(word, scene.view))
        unpicked = scene.look.translator.gettext(
            "Choose a piece first, with 1-{n} or a click.", n=len(_COLOURS)
        )
        return Reaction(pointer, status="" if pointer.colour else unpicked)


def _pick(scene: CaroScene, colour: str) -> Reaction[CaroPointer]:
    view, you = scene.view, scene.you
    if not any(word[0] == colour for word in view.lays):
        translator = scene.look.translator
        has = you is None or colour in view.supplies[you]
        said = translator.gettext(
            N_("{piece} can't be laid now.") if has else N_("No {piece} left."),
            piece=translator.gettext(COLOUR_NAMES[colour]),
        )
        return Reaction(scene.pointer, status=said[:1].upper() + said[1:])
    return Reaction(_pointed(view, msgspec.structs.replace(scene.pointer, colour=colour)))


def _pointed(view: CaroView, pointer: CaroPointer) -> CaroPointer:
    """Return the pointer with its cursor on a place for the picked colour: where it stands, or where it scores most."""
    words = [word for word in view.lays if pointer.colour in ("", word[0])]
    if any(word[1:] == pointer.place for word in words):
        return pointer
    best = max(words, key=lambda word: view.lays[word]) if words and pointer.colour else ""
    return msgspec.structs.replace(pointer, place=best[1:])


def _works(key: str, scene: CaroScene) -> bool:
    if key == "enter":
        return bool(scene.pointer.colour)
    colour = number_of(key)
    return colour is None or any(word[0] == _COLOURS[colour] for word in scene.view.lays)


def _players(scene: CaroScene, letters: Mapping[str, str]) -> list[PlayerLine]:
    """Return each player's total and caros, and whether they still may call."""
    view, claim = scene.view, scene.table.claim
    answering = claim.seats if claim and not scene.is_over else ()
    lines = []
    for seat, (total, supply) in enumerate(zip(view.totals, view.supplies, strict=True)):
        signs = [
            (f"{shown}{supply.count(letter)}", f"piece-{letter}" if letter in supply else "dim")
            for letter, shown in letters.items()
        ]
        if seat in answering and not scene.clock(seat):  # a clock says so, too
            signs.append((scene.look.translator.gettext("call?"), "heading"))
        lines.append(PlayerLine(number(total, scene.marks), signs))
    return lines


def _noted_lay(scene: CaroScene, line: CaroLayLine, *, newest: bool) -> Paragraph:
    letter = colour_letters(scene.look.translator)[line.colour]
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


def _points(points: int, marks: Marks) -> Sequence[Piece]:
    return ((signed(points, marks), "points"),)
