"""The screen of any declared table: areas with a cursor, numbered choices, players, moves, talk, the result."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec
from typing_extensions import override

from cartino_games.kit.bars import Hint, describe_end, waiting
from cartino_games.kit.card_roles import CARD_ROLES, MAT_ROLES, SUIT_ROLES
from cartino_games.kit.cards import Face, card_face, draw_card
from cartino_games.kit.declared.description import GenericDescription, Sayer
from cartino_games.kit.declared.description import waiting as waiting_for
from cartino_games.kit.declared.layout import (
    GenericPointer,
    GenericScene,
    Spot,
    Target,
    first_row,
    height_of,
    in_a_row,
    open_choices,
    plan_of,
    sheet_of,
)
from cartino_games.kit.grid import DIRECTIONS, Place, nearest
from cartino_games.kit.log import draw_log
from cartino_games.kit.marks import CARDS, marks_for, number
from cartino_games.kit.players import PlayerLine, draw_name, draw_players, presence
from cartino_games.kit.result import Accounts, Ending, Entry, Heading
from cartino_games.kit.scene import NAME_CELLS, names_of
from cartino_games.kit.screen import BACK, GameTableScreen, not_now, number_of
from cartino_games.kit.text import (
    Paragraph,
    Piece,
    draw_panel,
    first_that_fits,
    phrase,
    put_pieces,
    width,
)
from cartino_protocol.declared import Card, Choose, DeclaredView, Ref, item_count
from cartino_protocol.text import N_
from cartino_protocol.views import TableView
from cartino_tui.draw.canvas import Canvas
from cartino_tui.draw.theme import SEATS, RoleSet
from cartino_tui.game_port.description import end_reason as why_ended
from cartino_tui.game_port.screen import Look, Reaction, TableChrome

Answer = Reaction[GenericPointer]


class GenericScreen(GenericDescription, GameTableScreen[DeclaredView, GenericPointer, GenericScene]):
    """Draws declared tables and reads keys and clicks for them."""

    roles: ClassVar[tuple[RoleSet, ...]] = (CARD_ROLES, MAT_ROLES)
    key_help: ClassVar = (
        ("1-9", N_("choose the option with that number")),
        ("↑ ↓ ← → k j h l", N_("move to an option, or to a card or cell that options use")),
        ("Enter", N_("choose the option; on a card or cell, the option that uses it")),
        ("Esc Backspace", N_("put back what you picked")),
        (N_("click"), N_("choose an option, pick a card or cell, or run a word in the bottom line")),
        ("Tab → ←", N_("at the end: switch between result, shuffle proof and table")),
    )

    @override
    def fresh(self) -> GenericPointer:
        return GenericPointer()

    @override
    def update_pointer(self, table: TableView, view: DeclaredView, pointer: GenericPointer) -> GenericPointer:
        cursor = pointer.cursor
        there = _is_there(view, cursor) if isinstance(cursor, Ref) else cursor and view.chosen(cursor)
        picked = pointer.picked if open_choices(view, pointer.picked) else ()
        return msgspec.structs.replace(pointer, cursor=cursor if there else None, picked=picked)

    @override
    def scene(
        self, table: TableView, view: DeclaredView, pointer: GenericPointer, look: Look, around: TableChrome
    ) -> GenericScene:
        marks = marks_for(look)

        def card(shown: Card) -> str:
            return marks.names.get(shown.code) or sayer.card_name(shown)

        sayer = Sayer(look.translator, table, card)
        return GenericScene(
            table=table,
            look=look,
            around=around,
            marks=marks,
            names=names_of(table, look),
            view=view,
            pointer=pointer,
            sayer=sayer,
        )

    @override
    def state(self, scene: GenericScene) -> str:
        """Return what you have to do, or who is waited for."""
        if scene.is_over:
            return describe_end(scene)
        if scene.mine:
            return f"{scene.look.translator.gettext('Your turn.')} {scene.sayer.text(scene.view.status)}".rstrip()
        if len(scene.turn) == 1:
            return first_that_fits(waiting(scene, scene.turn[0]), scene.width - 2)
        return waiting_for(scene.table, scene.view, scene.sayer)

    @override
    def hints(self, table: TableView, look: Look) -> Sequence[Sequence[Hint]]:
        if table.you not in table.turn:
            return ((),)
        gettext = look.translator.gettext
        hints = (Hint("1-9", gettext("option")), Hint(look.key_shown("Enter"), gettext("choose"), "enter"))
        return (hints, hints[1:])

    @override
    def ending(self, scene: GenericScene) -> Ending:
        result, translator = scene.table.result, scene.look.translator
        why = "" if result is None else why_ended({self.name: self}, self.name, result.reason, translator)
        sentence = translator.gettext("The game is over: {why}.", why=why) if why else ""
        return Ending(scene.safe(sentence), "", _accounts(scene))

    @override
    def press(self, scene: GenericScene, key: str) -> Answer:
        pointer, gettext = scene.pointer, scene.look.translator.gettext
        if key in BACK and pointer.picked:
            return Answer(GenericPointer(cursor=pointer.picked[-1], picked=pointer.picked[:-1]))
        if key in DIRECTIONS:
            return Answer(msgspec.structs.replace(pointer, cursor=_moved(scene, DIRECTIONS[key])))
        at = number_of(key)
        if at is None and key != "enter":
            return Answer(pointer, taken=False)
        if status := not_now(scene):
            return Answer(pointer, status=status)
        if at is not None and at < len(scene.open):
            return _made(scene.open[at].word)
        if at is not None:
            return Answer(pointer, status=gettext("There's no option with that number."))
        if pointer.cursor is not None:
            return _entered(scene, pointer.cursor)
        if len(scene.open) == 1:
            return _made(scene.open[0].word)
        return Answer(pointer, status=gettext("Move to an option with the arrows, or type its number."))

    @override
    def tap(self, scene: GenericScene, x: int, y: int) -> Answer:
        plan = plan_of(scene)
        box = plan.sheet
        if not box.holds(x, y):
            return Answer(scene.pointer, taken=False)
        spots = sheet_of(scene, box.width, plan.size)
        top = first_row(spots, scene.pointer.cursor, box.height)
        hit = (spot.target for spot in spots if spot.box(box.x, box.y - top).holds(x, y))
        found = next((target for target in hit if target is not None), None)
        if found is None:
            return Answer(scene.pointer, taken=False)
        if status := not_now(scene):
            return Answer(msgspec.structs.replace(scene.pointer, cursor=found), status=status)
        return _entered(scene, found)

    @override
    def draw_still(self, canvas: Canvas, scene: GenericScene) -> None:
        plan, view = plan_of(scene), scene.view
        lines = [
            PlayerLine(
                number(total, scene.marks),
                [(scene.safe(fact), "text") for fact in scene.sayer.facts(view, seat)],
            )
            for seat, total in enumerate(view.totals)
        ]
        if plan.panel:
            draw_panel(canvas, scene, plan.players, scene.look.translator.gettext("Score"))
            draw_players(canvas, scene, plan.players, lines)
        else:
            _draw_rows(canvas, scene, lines)
        _draw_sheet(canvas, scene)
        draw_log(canvas, scene, _moves(scene), plan.moves, plan.talk, headed=plan.panel)

    @override
    def draw_choice(self, canvas: Canvas, scene: GenericScene) -> None:
        """Draw the sheet again, scrolled to the cursor."""
        if scene.pointer != GenericPointer(page=scene.pointer.page):
            _draw_sheet(canvas, scene)


def _is_there(view: DeclaredView, ref: Ref) -> bool:
    return ref.area < len(view.areas) and ref.item < item_count(view.areas[ref.area])


def _made(word: str) -> Answer:
    return Answer(GenericPointer(), Choose(word))


def _entered(scene: GenericScene, target: Target) -> Answer:
    """Return what Enter on a target means: its choice, or one item more that is picked."""
    picked = scene.pointer.picked
    if isinstance(target, str):
        return _made(target)
    if target in picked:
        return Answer(GenericPointer(cursor=target, picked=tuple(each for each in picked if each != target)))
    using = [choice for choice in scene.open if target in choice.uses]
    if not using:
        # What was picked may be a mistake: another item begins again.
        picked, using = (), [choice for choice in scene.view.choices if target in choice.uses]
    if not using:
        there = msgspec.structs.replace(scene.pointer, cursor=target)
        return Answer(there, status=scene.look.translator.gettext("No option uses that now."))
    if len(using) == 1:
        return _made(using[0].word)
    return Answer(GenericPointer(cursor=using[0].word, picked=(*picked, target)))


def _moved(scene: GenericScene, direction: Place) -> Target | None:
    """Return the nearest target in `direction`; the first one where there was no cursor.

    Players move to what choices use and to the choices, others to all there is to see.
    """
    plan = plan_of(scene)
    sheet = sheet_of(scene, plan.sheet.width, plan.size)
    spots = [spot for spot in sheet if spot.target is not None]
    if scene.mine and scene.open:
        used: set[Target] = {ref for choice in scene.open for ref in choice.uses}
        used |= {*scene.pointer.picked, *(choice.word for choice in scene.open)}
        spots = [spot for spot in spots if spot.target in used]
    # A row is about as high as two columns are wide.
    places = {(2 * spot.y, spot.x): spot.target for spot in reversed(spots)}
    here = next((place for place, target in places.items() if target == scene.pointer.cursor), None)
    if here is None:
        return spots[0].target if spots else None
    return places[nearest(here, direction, reversed(places)) or here]


def _draw_rows(canvas: Canvas, scene: GenericScene, lines: Sequence[PlayerLine]) -> None:
    """Draw the players without a panel: name, total, facts, who sits there, as far as there is room."""
    box, columns = plan_of(scene).players, in_a_row(len(lines))
    cells = box.width // columns
    for seat, line in enumerate(lines):
        x, y = box.x + seat % columns * cells, box.y + seat // columns
        end = x + cells - 1
        draw_name(canvas, scene, seat, x, y)
        x += NAME_CELLS + 2
        pieces: list[Piece] = [(line.total, "points"), *line.facts]
        while len(pieces) > 1 and width(pieces, 2) > end - x:
            del pieces[-1]
        x = put_pieces(canvas, x, y, pieces, 2)
        put_pieces(canvas, x, y, presence(scene, seat, end - x), 1)


def _draw_sheet(canvas: Canvas, scene: GenericScene) -> None:
    plan, cursor = plan_of(scene), scene.pointer.cursor
    box = plan.sheet
    canvas.fill(box.x - 1, box.y - plan.panel, box.width + 2, box.height + plan.panel, "mat")
    spots = sheet_of(scene, box.width, plan.size)
    top = first_row(spots, cursor, box.height)
    usable = {ref for choice in scene.open for ref in choice.uses} if scene.mine else set()
    meant = {*scene.pointer.picked}
    for choice in scene.open:
        meant |= {*choice.uses} if choice.word == cursor else set()
    for spot in spots:
        at = spot.box(box.x, box.y - top)
        if not box.holds(at.x, at.y):
            continue
        here = spot.target is not None and spot.target == cursor
        if spot.card is not None and spot.height > 1:
            playable = spot.target in usable or spot.area not in {ref.area for ref in usable}
            face = _face(scene, spot, picked=spot.target in meant, playable=playable)
            draw_card(canvas, scene, at._replace(width=at.width + 1), face, cursor=here)
            continue
        text, role = spot.text[: box.width - spot.x], _role(spot, cursor, meant, usable)
        canvas.fill(*at, role)
        y = at.y + (at.height - 1) // 2
        canvas.put(at.x, y, text, role)
        if here and text[:1] == text[-1:] == " ":
            canvas.put(at.x, y, scene.marks.left, role)
            canvas.put(at.x + len(text) - 1, y, scene.marks.right, role)
    for more, y in ((top > 0, box.y), (height_of(spots) - top > box.height, box.y + box.height - 1)):
        if more:
            mark = scene.marks.above if y == box.y else scene.marks.below
            canvas.put(box.x + box.width, y, mark, "mat-dim")


def _face(scene: GenericScene, spot: Spot, *, picked: bool, playable: bool) -> Face:
    """Return a card as a block, dark where choices use others beside it; of a hidden one the wooden back."""
    if spot.card in CARDS:
        return card_face(scene.marks, spot.card or "", picked=picked, playable=playable)
    if not spot.card and not picked:
        return Face(scene.marks.joker, "back", "back", edge="back-edge")
    part = "held" if picked else "card" if playable and spot.card else "closed"
    return Face(spot.text.strip(), f"{part}-S", f"fill-{part}", picked, edge=f"{part}-edge")


def _role(spot: Spot, cursor: Target | None, meant: set[Ref], usable: set[Ref]) -> str:
    """Return how a spot looks now: under the cursor, picked or meant by the choice there, of use, or as it is."""
    if spot.target is not None and spot.target == cursor:
        return "selected"
    if spot.target in meant:
        return "button"
    if spot.target in usable:
        return f"usable-{spot.suit}" if spot.suit else "usable"
    surface = "tile" if spot.role in SEATS else "slot" if spot.slot else "mat"
    role = SUIT_ROLES[spot.suit] if spot.suit else spot.role
    return surface if role == "text" else f"{surface}-{role}"


def _moves(scene: GenericScene) -> Iterator[Paragraph]:
    for text in reversed(scene.view.log):
        yield phrase(((scene.safe(scene.sayer.text(text)), "text"),))


def _accounts(scene: GenericScene) -> Accounts:
    """Return what the totals are made of, the winners first."""
    view, result = scene.view, scene.table.result
    winners = () if result is None else result.winners
    totals = view.totals if result is None else result.totals
    columns = [column for column in view.columns if len(column.values) == len(totals)]
    titles = [scene.sayer.text(column.title) for column in columns]
    total = scene.look.translator.pgettext("account", "total")
    best = sorted(range(len(totals)), key=lambda seat: (seat not in winners, -totals[seat]))
    entries = []
    for place, seat in enumerate(best):
        cells = [(number(column.values[seat], scene.marks), "text") for column in columns]
        rank = 1 if seat in winners else place + 1
        entries.append(Entry(seat, rank, (*cells, (number(totals[seat], scene.marks), "points"))))
    headings = [Heading(scene.fit(title, 14), scene.fit(title, 6)) for title in titles]
    return Accounts((*headings, Heading(total, total)), entries)
