"""The screen of any declared table: areas with a cursor, numbered choices, players, moves, talk, the result."""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

import msgspec

from cartino_games.kit import players
from cartino_games.kit.bars import (
    Hint,
    draw_hints,
    draw_status,
    draw_title,
    end_hints,
    ended,
    fitting_hints,
    hint_at,
    waiting,
)
from cartino_games.kit.generic_description import GenericDescription, Sayer
from cartino_games.kit.generic_description import waiting as not_now
from cartino_games.kit.generic_layout import (
    GenericPointer,
    GenericScene,
    Plan,
    Spot,
    Target,
    first_row,
    height_of,
    open_choices,
    plan_of,
    player_box,
    sheet_of,
)
from cartino_games.kit.ledger import Accounts, Entry, Heading
from cartino_games.kit.marks import marks_for, number
from cartino_games.kit.result import TURNS, Ending, draw_page, turned
from cartino_games.kit.scene import NAME_CELLS, names_of
from cartino_games.kit.story import Paragraph, draw_moves, draw_talk
from cartino_games.kit.text import first_that_fits, phrase, put_pieces
from cartino_protocol.declared import Card, Choose, DeclaredView, Ref, items
from cartino_protocol.ids import Seat
from cartino_protocol.marking import N_
from cartino_protocol.views import RoomView
from cartino_tui.draw.canvas import Canvas, Frame
from cartino_tui.games.description import ended as why_ended
from cartino_tui.games.screen import LEAST, Around, GameScreen, Look, Reaction

_DIRECTIONS: Final = {
    "up": (0, -1),
    "k": (0, -1),
    "down": (0, 1),
    "j": (0, 1),
    "left": (-1, 0),
    "h": (-1, 0),
    "right": (1, 0),
    "l": (1, 0),
}
_NUMBERS: Final = "123456789"
_BACK: Final = ("escape", "backspace")
_TALLER: Final = 2
"""How many columns a row is high."""

Answer = Reaction[GenericPointer]


class GenericScreen(GenericDescription, GameScreen[DeclaredView, GenericPointer]):
    """Draws declared tables and reads keys and clicks for them."""

    key_help: ClassVar = (
        ("1-9", N_("make the choice of that number")),
        ("↑ ↓ ← → k j h l", N_("move to a choice, or to a card or cell that choices use")),
        ("Enter", N_("make the choice; on a card or cell, the choice that uses it")),
        ("Esc Backspace", N_("put back what you picked")),
        (N_("click"), N_("make a choice, pick a card or cell, or press the key of a hint")),
        ("Tab → ←", N_("at the end: the result, the proof of the shuffle, the table")),
    )

    def fresh(self) -> GenericPointer:
        """See GameScreen."""
        return GenericPointer()

    def follow(self, room: RoomView, view: DeclaredView, pointer: GenericPointer) -> GenericPointer:
        """See GameScreen."""
        picked = pointer.picked if open_choices(view, pointer.picked) else ()
        cursor = pointer.cursor
        if isinstance(cursor, str):
            lost = view.chosen(cursor) is None
        else:
            lost = cursor is not None and not _is_there(view, cursor)
        return GenericPointer(None if lost else cursor, picked, pointer.page)

    def key(
        self, room: RoomView, view: DeclaredView, pointer: GenericPointer, key: str, look: Look = LEAST
    ) -> Answer:
        """See GameScreen."""
        say = look.tongue.say
        if not room.turn and key in TURNS:
            return Answer(GenericPointer(page=turned(pointer.page, key)))
        if key in _BACK and pointer.picked:
            return Answer(GenericPointer(pointer.picked[-1], pointer.picked[:-1]))
        scene = _scene(room, view, pointer, look, Around(""))
        if key in _DIRECTIONS:
            return Answer(msgspec.structs.replace(pointer, cursor=_moved(scene, _DIRECTIONS[key])))
        if key not in _NUMBERS and key != "enter":
            return Answer(pointer, taken=False)
        if status := not_now(room, view, scene.sayer):
            return Answer(pointer, status=status)
        if key in _NUMBERS:
            at = _NUMBERS.index(key)
            if at < len(scene.open):
                return _made(scene.open[at].word)
            return Answer(pointer, status=say("There is no choice with that number."))
        if pointer.cursor is None and len(scene.open) == 1:
            return _made(scene.open[0].word)
        if pointer.cursor is None:
            return Answer(pointer, status=say("Move to a choice with the arrows, or type its number."))
        return _entered(scene, pointer.cursor)

    def click(
        self, room: RoomView, view: DeclaredView, pointer: GenericPointer, look: Look, x: int, y: int
    ) -> Answer:
        """See GameScreen."""
        scene = _scene(room, view, pointer, look, Around(""))
        if y == scene.hint_row and (key := hint_at(_hints(scene), x)):
            return self.key(room, view, pointer, key, look)
        if scene.over and pointer.page != "board":
            return Answer(pointer, taken=False)
        spots = sheet_of(scene)
        box = plan_of(look, len(view.totals), height_of(spots)).sheet
        row = y - box.y + first_row(spots, pointer.cursor, box.height)
        found = next(
            (
                spot.target
                for spot in spots
                if spot.y == row and spot.x <= x - box.x < spot.x + len(spot.text) and spot.target
            ),
            None,
        )
        if found is None or not box.holds(x, y):
            return Answer(pointer, taken=False)
        if status := not_now(room, view, scene.sayer):
            return Answer(msgspec.structs.replace(pointer, cursor=found), status=status)
        return _entered(scene, found)

    def draw(
        self,
        room: RoomView,
        view: DeclaredView,
        pointer: GenericPointer,
        look: Look,
        around: Around,
        under: Frame | None = None,
    ) -> Frame:
        """See GameScreen."""
        scene = _scene(room, view, pointer, look, around)
        canvas = Canvas(look.width, look.height)
        draw_title(canvas, scene, ())
        if scene.over and pointer.page != "board":
            draw_page(canvas, scene, self._ending(scene), pointer.page)
        else:
            _draw_table(canvas, scene)
        draw_hints(canvas, scene, _hints(scene))
        draw_status(canvas, scene, _state(scene))
        return canvas.frame()

    def _ending(self, scene: GenericScene) -> Ending:
        result, tongue = scene.room.result, scene.look.tongue
        why = "" if result is None else why_ended({self.name: self}, self.name, result.reason, tongue)
        sentence = tongue.say("The game is over: {why}.", why=why) if why else ""
        return Ending(scene.safe(sentence), "", _accounts(scene))


def _scene(
    room: RoomView, view: DeclaredView, pointer: GenericPointer, look: Look, around: Around
) -> GenericScene:
    marks = marks_for(look)

    def card(shown: Card) -> str:
        return marks.names.get(shown.code) or sayer.card_name(shown)

    sayer = Sayer(look.tongue, room, card)
    return GenericScene(
        room=room,
        look=look,
        around=around,
        marks=marks,
        names=names_of(room, look),
        view=view,
        pointer=pointer,
        sayer=sayer,
    )


def _is_there(view: DeclaredView, ref: Ref) -> bool:
    return ref.area < len(view.areas) and ref.item < items(view.areas[ref.area])


def _made(word: str) -> Answer:
    return Answer(GenericPointer(), Choose(word))


def _entered(scene: GenericScene, target: Target) -> Answer:
    """What Enter on a target means: its choice, or one item more that is picked."""
    pointer = scene.pointer
    if isinstance(target, str):
        return _made(target)
    if target in pointer.picked:
        left = tuple(each for each in pointer.picked if each != target)
        return Answer(GenericPointer(target, left))
    using = [choice for choice in scene.open if target in choice.uses]
    if not using:
        # A pick is no promise: another item may be meant.
        using = [choice for choice in scene.view.choices if target in choice.uses]
        pointer = GenericPointer()
    if not using:
        there = GenericPointer(target, scene.pointer.picked)
        return Answer(there, status=scene.look.tongue.say("No choice uses that now."))
    if len(using) == 1:
        return _made(using[0].word)
    return Answer(GenericPointer(using[0].word, (*pointer.picked, target)))


def _targets(scene: GenericScene) -> set[Target]:
    """What the cursor may stand on: what choices use, and the choices; for others, all there is to see."""
    if scene.mine and scene.open:
        used = {ref for choice in scene.open for ref in choice.uses}
        return {*used, *scene.pointer.picked, *(choice.word for choice in scene.open)}
    return {spot.target for spot in sheet_of(scene) if spot.target is not None}


def _moved(scene: GenericScene, direction: tuple[int, int]) -> Target | None:
    """The nearest target in `direction`, steps aside counting double; the first one where there was no cursor."""
    may = _targets(scene)
    spots = [spot for spot in sheet_of(scene) if spot.target in may]
    here = next((spot for spot in spots if spot.target == scene.pointer.cursor), None)
    if here is None:
        return spots[0].target if spots else None
    right, down = direction
    best, least = here.target, None
    for spot in spots:
        across, along = spot.x - here.x, _TALLER * (spot.y - here.y)
        ahead = across * right + along * down
        aside = abs(across * down) + abs(along * right)
        if ahead > 0 and spot.target != here.target and (least is None or ahead + 2 * aside < least):
            best, least = spot.target, ahead + 2 * aside
    return best


def _draw_table(canvas: Canvas, scene: GenericScene) -> None:
    spots, seats = sheet_of(scene), len(scene.view.totals)
    plan = plan_of(scene.look, seats, height_of(spots))
    for seat in range(seats):
        _draw_player(canvas, scene, plan, seat)
    _draw_sheet(canvas, scene, plan, spots)
    say = scene.look.tongue.say
    if plan.panel:
        canvas.put(plan.moves.x + 1, plan.moves.y - 1, scene.safe(say("Moves")), "heading")
        canvas.put(plan.talk.x + 1, plan.talk.y - 1, scene.safe(say("Talk")), "heading")
    draw_moves(canvas, scene, _moves(scene), plan.moves)
    draw_talk(canvas, scene, plan.talk)


def _draw_player(canvas: Canvas, scene: GenericScene, plan: Plan, seat: Seat) -> None:
    """The name with who sits there, and the total with the facts: on two rows, or one behind the other."""
    box = player_box(plan, seat, len(scene.view.totals))
    if box.y + box.height > plan.players.y + plan.players.height:
        return
    end = box.x + box.width - 1
    players.draw_name(canvas, scene, seat, box.x, box.y)
    facts = [scene.safe(fact) for fact in scene.sayer.facts(scene.view, seat)]
    numbers = [(number(scene.view.totals[seat], scene.marks), "points"), *((fact, "text") for fact in facts)]
    x, y = box.x + NAME_CELLS + 2, box.y
    if plan.panel:
        put_pieces(canvas, x, y, players.presence(scene, seat, end - x), 1)
        x, y = box.x + 1, y + 1
    while len(numbers) > 1 and sum(len(text) + 2 for text, _ in numbers) > end - x:
        del numbers[-1]
    x = put_pieces(canvas, x, y, numbers, 2)
    if not plan.panel:
        put_pieces(canvas, x, y, players.presence(scene, seat, end - x), 1)


def _draw_sheet(canvas: Canvas, scene: GenericScene, plan: Plan, spots: Sequence[Spot]) -> None:
    box, top = plan.sheet, first_row(spots, scene.pointer.cursor, plan.sheet.height)
    style = _styles(scene)
    for spot in spots:
        y = spot.y - top
        if 0 <= y < box.height:
            text, role = style(spot)
            canvas.put(box.x + spot.x, box.y + y, text[: box.width - spot.x], role)
    if height_of(spots) - top > box.height:
        canvas.put(box.x + box.width, box.y + box.height - 1, scene.marks.more, "dim")


def _styles(scene: GenericScene) -> Callable[[Spot], tuple[str, str]]:
    """How each spot of the sheet is drawn now: with a mark at both ends below the cursor, for mono terminals too."""
    cursor, picked, choices = scene.pointer.cursor, scene.pointer.picked, scene.open
    usable = {ref for choice in choices for ref in choice.uses} if scene.mine else set()
    meant = next((choice.uses for choice in choices if choice.word == cursor), ())

    def style(spot: Spot) -> tuple[str, str]:
        target = spot.target
        if target is not None and target == cursor and spot.text.startswith(" "):
            text = f"{scene.marks.left}{spot.text[1:-1]}{scene.marks.right}"
            return text, f"cursor-{spot.suit}" if spot.suit else "selected"
        if target is not None and target == cursor:
            return spot.text, "selected"
        if isinstance(target, Ref) and (target in picked or target in meant):
            return spot.text, f"picked-{spot.suit}" if spot.suit else "fill-picked"
        if target in usable:
            return spot.text, f"legal-{spot.suit}" if spot.suit else "legal-mark"
        return spot.text, f"printed-{spot.suit}" if spot.suit else spot.role

    return style


def _moves(scene: GenericScene) -> Iterator[Paragraph]:
    for text in reversed(scene.view.log):
        yield phrase(((scene.safe(scene.sayer.text(text)), "text"),))


def _hints(scene: GenericScene) -> Sequence[Hint]:
    say, look = scene.look.tongue.say, scene.look
    if scene.over:
        return end_hints(look)
    if scene.you is None:
        return ()
    hints = (
        Hint("1-9", say("choice")),
        Hint(look.keymap.shown("Enter"), say("choose"), "enter"),
    )
    return fitting_hints(scene.room, look, (hints, hints[1:]))


def _state(scene: GenericScene) -> str:
    """The status sentence: what you have to do, or who is waited for."""
    tongue, view = scene.look.tongue, scene.view
    if scene.over:
        return ended(scene)
    status = scene.sayer.text(view.status)
    if scene.mine:
        return f"{tongue.say('Your turn.')} {status}".rstrip()
    if len(scene.turn) == 1:
        return first_that_fits(waiting(scene, scene.turn[0]), scene.width - 2)
    return not_now(scene.room, view, scene.sayer)


def _accounts(scene: GenericScene) -> Accounts:
    """What the totals are made of, the winners first."""
    view, result = scene.view, scene.room.result
    winners = () if result is None else result.winners
    totals = view.totals if result is None else result.totals
    columns = [column for column in view.columns if len(column.values) == len(totals)]
    headings = [
        Heading(scene.fit(scene.sayer.text(column.title), 14), scene.fit(scene.sayer.text(column.title), 6))
        for column in columns
    ]
    total = scene.look.tongue.say_in("account", "total")
    best = sorted(range(len(totals)), key=lambda seat: (seat not in winners, -totals[seat]))
    entries = []
    for place, seat in enumerate(best):
        cells = [(number(column.values[seat], scene.marks), "text") for column in columns]
        rank = 1 if seat in winners else place + 1
        entries.append(Entry(seat, rank, (*cells, (number(totals[seat], scene.marks), "points"))))
    return Accounts((*headings, Heading(total, total)), entries)
