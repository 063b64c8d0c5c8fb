"""Checks of what people see: views within a frame, the table at every size, and plain mode."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import msgspec

from cartino_games.conformance.trial import Check, Trial
from cartino_protocol.wire import MAX_VIEW_BYTES, encode, encode_raw
from cartino_tui.draw.canvas import Frame
from cartino_tui.draw.theme import theme_of
from cartino_tui.game_port.description import to_json_value
from cartino_tui.game_port.screen import Look, TableChrome
from cartino_tui.i18n import ENGLISH, LANGUAGES, translator_for

BROADCAST_BYTES: Final = 1024
"""A spectators' view that is larger is told: it goes to each of them after every move."""
SIZES: Final = ((60, 20), (80, 24), (120, 40), (200, 60))
"""Terminals, in columns and rows."""
_KEYS: Final = ("up", "down", "left", "right", "1", "2", "9", "tab", "enter", "escape", "backspace", "x", "é")


def views(trial: Trial) -> Check:
    """Check that every view fits into a frame."""
    game, largest, shown = trial.game, 0, 0
    for played in trial.played:
        for state in played.states:
            shown = max(shown, len(encode(game.view(state, None))))
            largest = max(
                largest, *(len(encode(game.view(state, seat))) for seat in game.on_turn(state)), shown
            )
    problems = (f"a view has {largest} bytes, at most {MAX_VIEW_BYTES} fit",)
    note = f"at most {largest} bytes, {shown} for spectators"
    warning = f"; more than {BROADCAST_BYTES} is slow to spread" if shown > BROADCAST_BYTES else ""
    return Check("views", problems if largest > MAX_VIEW_BYTES else (), note + warning)


def offers(trial: Trial) -> Iterator[str]:
    """Check that the rules take every move that a view offers to those who may act, in every state.

    In each language a word means what it is shown for, and the word that programs read is a move, too; that is looked
    at in the first and the last game.
    """
    speech, game = trial.package.speech, trial.game
    for played in trial.played:
        here = f"{len(played.names)} seats, {played.options}, move"
        close = {*played.sample()} if any(played is each for each in trial.ends) else ()
        for at, state in enumerate(played.states):
            for seat in game.may_act(state):
                offered = trial.offered(state, seat)
                for word, move in offered.items():
                    if move is None or game.check(state, seat, move) is not None:
                        yield f"{here} {at}: seat {seat} is offered {word!r}, which is refused"
                if at not in close:
                    continue
                view = speech.read(encode_raw(game.view(state, seat)))
                for translator in map(translator_for, LANGUAGES):
                    for word in offered:
                        shown = speech.shown_move(word, translator)
                        if speech.typed_move(shown, view, translator) != speech.move(word, view):
                            yield f"{here} {at}: {shown!r} ({translator.name}) doesn't mean {word!r}"
                        if speech.typed_move(word, view, translator) is None:
                            yield f"{here} {at}: {word!r} is no move ({translator.name})"


def screens(trial: Trial) -> Iterator[str]:
    """Check that the table is drawn at every size, with all characters and in ASCII, and takes any key and click."""
    screen = trial.package.screen
    known = set(theme_of("dark", roles=screen.roles).styles)
    for played in trial.ends:
        for at, (width, height), ascii in product(played.sample(4), SIZES, (False, True)):
            for you in (0, None):
                table = trial.table(played, at, you)
                view, look = screen.read(table.game_view), Look(width, height, ascii=ascii)
                pointer = screen.update_pointer(table, view, screen.fresh())
                yield from _drawn(screen.draw(table, view, pointer, look, TableChrome("Table")), look, known)
                sent = []
                for key in _KEYS:
                    reaction = screen.key(table, view, pointer, key, look)
                    pointer = reaction.pointer
                    sent.append((key, reaction.move))
                    if look.width == SIZES[0][0]:
                        yield from _drawn(
                            screen.draw(table, view, pointer, look, TableChrome("Table")), look, known
                        )
                # Where no click is made in all characters, one is made in ASCII; spectators click at one size.
                across, down = max(7, width // 12), max(4, height // 7)
                rows = range(down // 2 * ascii, height, down) if you == 0 or width == SIZES[0][0] else ()
                for x, y in product(range(0, width, across), rows):
                    reaction = screen.click(table, view, pointer, look, x, y)
                    pointer = reaction.pointer
                    sent.append((f"a click at {x}, {y}", reaction.move))
                for what, move in sent:
                    if move is not None and (you is None or trial.refuses(played, at, you, move)):
                        yield f"move {at}: {what} makes a move that is refused"
                screen.restore_selection(
                    table, view, pointer, msgspec.Raw(screen.encode_selection(pointer) or b"\xc0")
                )
                screen.hint(table, view, look)
                screen.why(table, view, pointer, look, 0)


def plain(trial: Trial) -> Iterator[str]:
    """Check a game in sentences and JSON, each move made by the word that plain mode and the shell take."""
    speech, game = trial.package.speech, trial.game
    for played in trial.ends:
        before = speech.read(trial.table(played, 0, 0).game_view)
        for at, state in enumerate(played.states):
            seat = next(iter(game.on_turn(state)), 0)
            for you in (seat, None):
                table = trial.table(played, at, you)
                view = speech.read(table.game_view)
                msgspec.json.encode(to_json_value(view))
                said = [
                    *speech.standing(table, view, ENGLISH),
                    *speech.describe_events(table, before, view, ENGLISH),
                ]
                said += [*speech.scores(table, view, ENGLISH), *speech.own(table, view, ENGLISH)]
                said += [
                    *speech.describe_table(table, view, ENGLISH),
                    speech.describe_last_action(table, view, ENGLISH),
                ]
                for text in ("1", "0", "board", "nonsense"):
                    said += speech.enter(table, view, speech.fresh(), text, ENGLISH).lines
                if any("\n" in line or "\x1b" in line for line in said):
                    yield f"move {at}: a line is not one line of text"
                if any(len(line) > 80 or not line.isascii() for line in speech.picture(table, view, ENGLISH)):
                    yield f"move {at}: the picture is wider than 80 columns, or not in ASCII"
            if game.on_turn(state) and not speech.legal(speech.read(encode_raw(game.view(state, seat)))):
                yield f"move {at}: no word for what seat {seat} can do"
            before = speech.read(trial.table(played, at, None).game_view)


def _drawn(frame: Frame, look: Look, known: set[str]) -> Iterator[str]:
    rows = ["".join(text for text, _ in row) for row in frame.rows]
    size = f"{look.width}x{look.height}"
    if len(rows) != look.height or any(len(row) != look.width for row in rows):
        yield f"the table at {size} is not as large as that"
    if look.ascii and not all(row.isascii() for row in rows):
        yield f"the table at {size} is not in ASCII alone"
    unknown = {role for row in frame.rows for _, role in row} - known
    if unknown:
        yield f"the table at {size} is drawn in roles that no set has: {sorted(unknown)}"
