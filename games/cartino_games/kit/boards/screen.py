"""The screen of games in which pieces of a few kinds are laid on a board that grows: see `BoardView`."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Generic, NamedTuple, TypeVar

import msgspec
from typing_extensions import override

from cartino_games.kit.arrangement import FOOT_ROWS, TITLE_ROWS, Box, arrange, in_column
from cartino_games.kit.bars import Hint, draw_hints, ended, waiting
from cartino_games.kit.boards.roles import PIECE_ROLES, TONES
from cartino_games.kit.boards.table_speech import TableDescription, piece_letters
from cartino_games.kit.boards.views import EMPTY, BoardView, SeatRecordLine, spot
from cartino_games.kit.cards import draw_edge
from cartino_games.kit.grid import DIRECTIONS, CellGrid, Place, nearest
from cartino_games.kit.log import draw_log, talks
from cartino_games.kit.marks import marks_for, number
from cartino_games.kit.players import PlayerLine, draw_players, seat_sign
from cartino_games.kit.result import Accounts, Ending, Entry, Heading
from cartino_games.kit.scene import TableScene, names_of
from cartino_games.kit.screen import BACK, GameTableScreen, TablePointer, not_now, number_of
from cartino_games.kit.since import since_own, with_player
from cartino_games.kit.text import Paragraph, Piece, draw_panel, first_that_fits, phrase
from cartino_protocol.base import Seat
from cartino_protocol.records import RecordLine
from cartino_protocol.text import N_
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Canvas, Row
from cartino_tui.game_port.description import LOT
from cartino_tui.game_port.screen import Look, Reaction, TableChrome

BoardT = TypeVar("BoardT", bound=BoardView)
_SIZES: Final = ((12, 6), (10, 5), (8, 4), (6, 3), (4, 2), (4, 1), (3, 1))
"""Places of a board, the largest first: columns and rows of characters, about as high as wide."""
_SIDES: Final = {False: "▌", True: "|"}
"""The left edge of a flat piece, by whether the terminal shows ASCII only."""
_SIGNED: Final = 2
"""In higher places a piece has room for a sign."""
_ROWS: Final = 3
"""The columns left of the board: the number of a row and a blank."""


class BoardPointer(TablePointer, frozen=True, kw_only=True):
    """The letter of the piece that was picked, "" for none, and the place where the cursor stands."""

    piece: str = ""
    place: str = ""


class BoardPlan(NamedTuple):
    """The places of the parts. `grid` has room for all that may be taken, and for the places around it.

    `framed`: frames stand around players, moves and talk, else rules between them.
    """

    grid: CellGrid
    players: Box
    moves: Box
    talk: Box
    framed: bool


class BoardScene(TableScene, Generic[BoardT], frozen=True):
    """The table with its view, pointer and places."""

    view: BoardT
    pointer: BoardPointer
    plan: BoardPlan

    @property
    @override
    def turn(self) -> tuple[Seat, ...]:
        return self.view.on_turn

    def offered(self) -> dict[Place, int]:
        """Return the places for the picked piece with their points; without one all places, without points."""
        picked = self.pointer.piece
        return {spot(w[1:]): n for w, n in self.view.lays.items() if picked in ("", w[0])}


class BoardScreen(
    TableDescription[BoardT], GameTableScreen[BoardT, BoardPointer, BoardScene[BoardT]], Generic[BoardT]
):
    """Draws the board with a letter and a filled square a piece, and lays pieces by keys and clicks."""

    pieces: ClassVar[Mapping[str, str]]
    """What the pieces are called in English, by their letters; keys 1, 2 and so on pick them in this order."""

    roles = (PIECE_ROLES,)
    chance = LOT

    @abstractmethod
    def move(self, word: str, view: BoardT | None = None) -> msgspec.Struct | None:
        """Return the move that lays what `word`, one of `lays`, says."""

    def news(self, scene: BoardScene[BoardT]) -> str:
        """Return what has to be said of the last lines before what the table waits for; "" for nothing."""
        return ""

    def noted(self, scene: BoardScene[BoardT], line: RecordLine, *, newest: bool) -> Paragraph:
        """Return a record line as the log has it: in a sentence, unless a game has it shorter.

        `newest`: it is the last one of its player.
        """
        said = scene.safe(self.said(scene.room, line, scene.look.translator))
        seat = line.seat if isinstance(line, SeatRecordLine) else None
        return phrase(with_player(scene, said, seat, newest=newest))

    def newest(self, view: BoardT) -> Mapping[str, Seat]:
        """Return the places of each player's last lay that the view tells of, with who laid there."""
        return {}

    @override
    def fresh(self) -> BoardPointer:
        return BoardPointer()

    @override
    def follow(self, room: RoomView, view: BoardT, pointer: BoardPointer) -> BoardPointer:
        """Put back a piece that can't be laid; pick it where there is but one kind."""
        kinds = {word[0] for word in view.lays}
        piece = pointer.piece if pointer.piece in kinds else kinds.pop() if len(kinds) == 1 else ""
        return _pointed(view, msgspec.structs.replace(pointer, piece=piece))

    @override
    def scene(
        self, room: RoomView, view: BoardT, pointer: BoardPointer, look: Look, around: TableChrome
    ) -> BoardScene[BoardT]:
        plan = _plan(look, view, len(room.seats))
        return BoardScene(room, look, around, marks_for(look), names_of(room, look), view, pointer, plan)

    @override
    def state(self, scene: BoardScene[BoardT]) -> str:
        translator = scene.look.translator
        if scene.over:
            return ended(scene)
        asked = [self.news(scene), self.asked(scene.room, scene.view, translator)]
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
            unpicked = translator.gettext(
                "Your turn: pick a colour with 1-{n} or a click.", n=len(self.pieces)
            )
            asked.append(picked if scene.pointer.piece else unpicked)
        return " ".join(filter(None, asked))

    @override
    def title_facts(self, scene: BoardScene[BoardT]) -> Sequence[str]:
        """Return the round, where there are several."""
        view, gettext = scene.view, scene.look.translator.gettext
        return (gettext("round {n}", n=len(view.by_round) + 1),) if view.by_round and not scene.over else ()

    @override
    def ending(self, scene: BoardScene[BoardT]) -> Ending:
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
        result = scene.room.result
        why = (
            translator.gettext(self.endings.get(result.reason, ""))
            if result and result.reason in self.endings
            else ""
        )
        return Ending(
            why[:1].upper() + why[1:] + "." * bool(why),
            "",
            Accounts(headings, entries),
            courses,
            chance=self.chance_of(scene.room.options),
        )

    @override
    def hints(self, room: RoomView, look: Look) -> Sequence[Sequence[Hint]]:
        """Return a hint a piece, to click on, while one may lay."""
        if room.you not in room.turn:
            return ((),)
        gettext = look.translator.gettext
        lay = Hint(look.key_shown("Enter"), gettext("lay"), "enter")
        named = [Hint(str(at), gettext(name), str(at)) for at, name in enumerate(self.pieces.values(), 1)]
        letters = piece_letters(self.pieces, look.translator).values()
        short = [Hint(str(at), letter, str(at)) for at, letter in enumerate(letters, 1)]
        return (*named, lay), (*short, lay), short

    @override
    def own_hints(self, scene: BoardScene[BoardT]) -> Sequence[Hint]:
        """Return the hints whose keys do something now: pieces that can be laid, and laying once one is picked."""
        own = super().own_hints(scene)
        return own if scene.over else [hint for hint in own if self._works(hint.key, scene)]

    def _works(self, key: str, scene: BoardScene[BoardT]) -> bool:
        if key == "enter":
            return bool(scene.pointer.piece)
        kind = number_of(key)
        return kind is None or any(word[0] == [*self.pieces][kind] for word in scene.view.lays)

    @override
    def signs(self, scene: BoardScene[BoardT]) -> Sequence[Piece]:
        """Return the pieces."""
        letters = piece_letters(self.pieces, scene.look.translator)
        return [(shown, f"piece-{letter}") for letter, shown in letters.items()]

    @override
    def sample(self, look: Look) -> Sequence[Row]:
        """Return the pieces."""
        letters = piece_letters(self.pieces, look.translator)
        return [tuple((f" {shown} ", f"piece-{letter}") for letter, shown in letters.items())]

    @override
    def why(self, room: RoomView, view: BoardT, pointer: BoardPointer, look: Look, back: int) -> str:
        """Return what was done last, or before that."""
        return self.said(room, view.recent[-1 - back], look.translator) if back < len(view.recent) else ""

    @override
    def draw_still(self, canvas: Canvas, scene: BoardScene[BoardT]) -> None:
        view, plan, marks = scene.view, scene.plan, scene.marks
        _draw_headings(canvas, plan.grid)
        for row in range(plan.grid.top, plan.grid.top + plan.grid.rows):
            for column in range(plan.grid.left, plan.grid.left + plan.grid.columns):
                _draw_place(canvas, plan.grid, (row, column), marks.dot, TONES[plan.grid.tone(row, column)])
        newest, letters = self.newest(view), piece_letters(self.pieces, scene.look.translator)
        for at, letter in enumerate(view.board):
            place = view.place(at)
            box = plan.grid.cell_box(*spot(place))
            if box and letter != EMPTY:
                _draw_place(canvas, plan.grid, spot(place), "", TONES[plan.grid.tone(*spot(place))])
                sign = seat_sign(scene, newest[place])[0] if place in newest else ""
                shown = letters.get(letter, letter)
                text = shown if place != view.laid else f"({shown})"
                _draw_piece(canvas, scene, box, text, f"piece-{letter}", sign)
        answer = scene.room.claim.seats if scene.room.claim and not scene.over else ()
        answering = [(scene.look.translator.gettext("call?"), "heading")]
        lines = []
        for seat, total in enumerate(view.totals):
            supply = view.supplies[seat] if seat < len(view.supplies) else ""
            held = {letter: supply.count(letter) for letter in self.pieces}
            signs = [
                (f"{letters[letter]}{held[letter]}", f"piece-{letter}" if held[letter] else "dim")
                for letter in held
            ]
            if seat in answer and not scene.clock(seat):  # a clock says so, too
                signs += answering
            lines.append(PlayerLine(number(total, marks), signs))
        if plan.framed:
            draw_panel(canvas, scene, plan.players, scene.look.translator.gettext("Score"))
        else:
            for box in (plan.moves, plan.talk) if talks(scene) else (plan.moves,):
                canvas.put(box.x, box.y - 1, marks.across * box.width, "rule")
        draw_players(canvas, scene, plan.players, lines)
        seats = [line.seat if isinstance(line, SeatRecordLine) else None for line in view.recent]
        turns = (
            self.noted(scene, view.recent[at], newest=seats[at] not in seats[at + 1 :])
            for at in reversed(range(len(seats)))
        )
        since = since_own(seats, scene)
        before = view.told - len(view.recent)
        draw_log(
            canvas,
            scene,
            turns,
            plan.moves,
            plan.talk,
            headed=plan.framed,
            since=since,
            before=before,
        )
        if not plan.framed:
            gettext = scene.look.translator.gettext
            said = f"{marks.since}{gettext('Since your turn')}" if since else gettext("Moves")
            canvas.put(plan.moves.x + 1, plan.moves.y - 1, f" {said} ", "heading")

    @override
    def draw_choice(self, canvas: Canvas, scene: BoardScene[BoardT]) -> None:
        """Draw the points of the places for the picked piece, and the cursor."""
        grid, pointer, marks = scene.plan.grid, scene.pointer, scene.marks
        for place, points in scene.offered().items():
            text = str(points) if pointer.piece else marks.dot
            if _called(place) == pointer.place and len(text) > grid.width - 2:
                text = marks.dot
            here = _called(place) == pointer.place
            _draw_place(canvas, grid, place, text, "place-open")
            box = grid.cell_box(*place)
            if here and box:
                # A row alone, or each step of the cursor would fill two whole places.
                y = box.y + (box.height - 1) // 2
                canvas.paint(box.x, y, box.width, "place-cursor")
                canvas.put(box.x, y, marks.left, "place-cursor")
                canvas.put(box.x + box.width - 1, y, marks.right, "place-cursor")
        draw_hints(canvas, scene, self.own_hints(scene))

    @override
    def press(self, scene: BoardScene[BoardT], key: str) -> Reaction[BoardPointer]:
        pointer, kind = scene.pointer, number_of(key)
        if key not in {*DIRECTIONS, *BACK, "enter"} and (kind is None or kind >= len(self.pieces)):
            return Reaction(pointer, taken=False)
        if said := not_now(scene):
            return Reaction(pointer, status=said)
        if kind is not None:
            return self._pick(scene, [*self.pieces][kind])
        if key in BACK:
            return Reaction(msgspec.structs.replace(pointer, piece=""))
        if key == "enter":
            return self._lay(scene, pointer.place)
        start = spot(pointer.place) if pointer.place else (scene.view.top, scene.view.left)
        found = nearest(start, DIRECTIONS[key], scene.offered())
        if found is None:
            return Reaction(pointer)
        return Reaction(msgspec.structs.replace(pointer, place=_called(found)))

    @override
    def tap(self, scene: BoardScene[BoardT], x: int, y: int) -> Reaction[BoardPointer]:
        """Lay the picked piece on the place that is clicked."""
        found = scene.plan.grid.cell_at(x, y)
        if found not in scene.offered():
            return Reaction(scene.pointer, status=not_now(scene), taken=found is not None)
        return self._lay(scene, _called(found))

    def _pick(self, scene: BoardScene[BoardT], piece: str) -> Reaction[BoardPointer]:
        view, you = scene.view, scene.you
        if not any(word[0] == piece for word in view.lays):
            translator = scene.look.translator
            has = you is None or you >= len(view.supplies) or piece in view.supplies[you]
            said = translator.gettext(
                N_("{piece} can't be laid now.") if has else N_("No {piece} left."),
                piece=translator.gettext(self.pieces[piece]),
            )
            return Reaction(scene.pointer, status=said[:1].upper() + said[1:])
        pointer = msgspec.structs.replace(scene.pointer, piece=piece)
        return Reaction(_pointed(scene.view, pointer))

    def _lay(self, scene: BoardScene[BoardT], place: str) -> Reaction[BoardPointer]:
        pointer = msgspec.structs.replace(scene.pointer, place=place)
        word = pointer.piece + place
        if word in scene.view.lays:
            return Reaction(pointer, self.move(word, scene.view))
        unpicked = scene.look.translator.gettext(
            "Choose a piece first, with 1-{n} or a click.", n=len(self.pieces)
        )
        return Reaction(pointer, status="" if pointer.piece else unpicked)


def _pointed(view: BoardView, pointer: BoardPointer) -> BoardPointer:
    """Return the pointer with its cursor on a place for the picked piece: where it stands, or where it scores most."""
    words = [word for word in view.lays if pointer.piece in ("", word[0])]
    if any(word[1:] == pointer.place for word in words):
        return pointer
    best = max(words, key=lambda word: view.lays[word]) if words and pointer.piece else ""
    return msgspec.structs.replace(pointer, place=best[1:])


def _called(place: Place) -> str:
    return f"{chr(ord('a') + place[1])}{place[0]}"


def _plan(look: Look, view: BoardView, seats: int) -> BoardPlan:
    """Place the board at the left, as large as can be; players, moves and talk at its right."""
    plan = arrange(look, seats)
    panel = plan.players
    rows, left = look.height - TITLE_ROWS - FOOT_ROWS, panel.x - 1
    most, widest = view.span + 1, 2 * view.span - 1
    sizes = [size for size in _SIZES if most * size[0] + _ROWS <= left and most * size[1] < rows]
    # A board that stays where it is as it grows, unless much room would be left over.
    still = [
        (width, height)
        for width, height in sizes
        if (widest - 1) * width + _ROWS <= left
        and (widest - 1) * height < rows
        and 3 * widest**2 * width * height >= 2 * left * rows
    ]
    width, height = next(iter(still or sizes), _SIZES[-1])
    across, down = min(widest, (left - _ROWS) // width), min(widest, (rows - 1) // height)
    grid = CellGrid(
        x=_ROWS + (left - _ROWS - across * width) // 2,
        y=TITLE_ROWS + 1 + (rows - 1 - down * height) // 2,
        width=width,
        height=height,
        rows=down,
        columns=across,
        top=_first(view.span, down, view.top, len(view.board) // view.width),
        left=_first(view.span - 1, across, view.left, view.width),
    )
    players, moves, talk = in_column(look, panel, seats, framed=plan.headed)
    return BoardPlan(grid, players, moves, talk, plan.headed)


def _first(middle: int, most: int, first: int, count: int) -> int:
    """Return the first of `most` rows or columns in sight, with `middle` in the middle if all of the board fits."""
    return min(max(middle - most // 2, first + count - most), first)


def _draw_headings(canvas: Canvas, grid: CellGrid) -> None:
    """Draw the letters of the columns above the board, and the numbers of the rows at its left."""
    for column in range(grid.left, grid.left + grid.columns):
        box = grid.cell_box(grid.top, column)
        if box:
            canvas.put(box.x + (box.width - 1) // 2, box.y - 1, chr(ord("a") + column), "dim")
    for row in range(grid.top, grid.top + grid.rows):
        box = grid.cell_box(row, grid.left)
        if box:
            canvas.put(box.x - _ROWS, box.y + (box.height - 1) // 2, f"{row:>2}", "dim")


def _draw_place(canvas: Canvas, grid: CellGrid, place: Place, text: str, role: str) -> None:
    box = grid.cell_box(*place)
    if box:
        canvas.fill(box.x, box.y, box.width, box.height, role)
        canvas.put(box.x + (box.width - len(text)) // 2, box.y + (box.height - 1) // 2, text, role)


def _draw_piece(canvas: Canvas, scene: TableScene, box: Box, text: str, role: str, sign: str) -> None:
    """Draw a block with an edge below, one cell narrower than its place; in a flat place with an edge at its left.

    `sign` stands in its corner, where there is room.
    """
    x, y, width, height = box
    width -= height > 1
    canvas.fill(x, y, width, height, f"{role}-fill")
    if height > 1:
        draw_edge(canvas, scene.marks, Box(x, y, width, height), f"{role}-edge")
    else:
        canvas.put(x, y, _SIDES[scene.look.ascii], f"{role}-edge")
    if height > _SIGNED:
        canvas.put(x + width - 1, y, sign, role)
    canvas.put(x + (box.width - len(text)) // 2, y + (height - 1) // 2, text, role)
