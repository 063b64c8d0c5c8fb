"""One's account: what the server keeps, deleting it, and the SSH keys that sign one in."""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_protocol.accounts import (
    Account,
    AccountView,
    AddKey,
    DeleteAccount,
    DropKey,
    KeyCode,
    KeyLine,
    Keys,
    KeysView,
)
from cartino_protocol.refusals import HOW_TO_MAKE_A_KEY, Refusal
from cartino_protocol.views import QueryAnswer
from cartino_tui.context import AppContext
from cartino_tui.draw.canvas import Canvas, Frame, Row, first_that_fits, put_rows, wrap_rows
from cartino_tui.draw.text import clean, fit, wrap_command
from cartino_tui.game_port.screen import Look
from cartino_tui.keys import ACCOUNT, SSH_KEYS, KeyTable
from cartino_tui.profiles import (
    account_lines,
    key_code_lines,
    key_dropped_message,
    key_facts,
)
from cartino_tui.visit.farewell import key_added_message
from cartino_tui.visit.pending import Press, Tap
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from cartino_tui.widgets.app_screen import AppScreen, HintRow
from cartino_tui.widgets.layout import (
    Hints,
    cursor_step,
    footer,
    footer_height,
    glyphs,
    put_centred,
    scroll_top,
    title_bar,
)
from cartino_tui.widgets.prompt import Confirmation, Prompt

ACCOUNT_TOP: Final = 2
MAX_NAME: Final = 20
_ACCOUNT_COMMANDS: Final = frozenset(kind.__name__ for kind in (Account, DeleteAccount))


class AccountModel(msgspec.Struct, frozen=True):
    """What the server told (None before), the first row in sight, and a status."""

    view: AccountView | None = None
    top: int = 0
    status: str = ""


def draw_account(model: AccountModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells."""
    canvas = Canvas(look.width, look.height)
    title_bar(
        canvas, look, look.translator.gettext("Your account"), "" if model.view is None else model.view.name
    )
    if model.view is None and not model.status:
        put_centred(
            canvas,
            look.height // 2,
            look.translator.gettext("Looking in the register…"),
            "dim",
            ascii=look.ascii,
        )
    rows = _account_rows(model, look)
    put_rows(canvas, 2, ACCOUNT_TOP, rows[model.top : model.top + account_height(model, look)])
    footer(canvas, look, model.status, hints)
    return canvas.frame()


def account_height(model: AccountModel, look: Look) -> int:
    """How many rows are in sight at once."""
    return max(1, look.height - ACCOUNT_TOP - footer_height(look, model.status))


def account_last_top(model: AccountModel, look: Look) -> int:
    """The first row in sight where the last one is, too."""
    return max(0, len(_account_rows(model, look)) - account_height(model, look))


def _account_rows(model: AccountModel, look: Look) -> Sequence[Row]:
    lines = () if model.view is None else account_lines(model.view, look.translator)
    return [row for line in lines for row in wrap_rows(line, "text", look.width - 4, ascii=look.ascii)]


class AccountScreen(AppScreen):
    """What is kept, over the lobby; the server was just asked for it."""

    def __init__(self, stage: AppContext, known: ClientState) -> None:
        """It is empty until the server has answered."""
        super().__init__(stage, known)
        self.model = AccountModel()

    def draw(self, look: Look) -> Frame:
        """As much as there is room for."""
        model = msgspec.structs.replace(self.model, status=self.news)
        self.model = msgspec.structs.replace(model, top=min(model.top, account_last_top(model, look)))
        return draw_account(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The screen's keys."""
        return ACCOUNT

    def hints(self) -> HintRow:
        """What can be done here; a guest has nothing to delete."""
        view = self.model.view
        can = () if view is None or view.guest else ("delete",)
        return ACCOUNT.hints(*can, "actions", "back")

    def press(self, press: Press) -> None:
        """Scroll, or ask for the name that confirms the deletion."""
        action = ACCOUNT.action(press.key)
        by = cursor_step(action, account_height(self.model, self.look) - 1, 0)
        view = self.model.view
        if by is not None:
            top = max(0, min(self.model.top + by, account_last_top(self.model, self.look)))
            self.model = msgspec.structs.replace(self.model, top=top)
        elif action == "back":
            self.app.pop_screen()
        elif action == "delete" and view is not None and not view.guest:
            label = self.look.translator.gettext("Your name, to delete your account for good")
            self.ask(Prompt(label, MAX_NAME, self._delete, to=(DeleteAccount.__name__,)))

    def answered(self, answer: QueryAnswer) -> bool:
        """What is kept; that it was deleted is the last word of the visit."""
        if not isinstance(answer, AccountView):
            return False
        self.model = msgspec.structs.replace(self.model, view=answer)
        self.redraw()
        return True

    def refused(self, refusal: Refusal) -> bool:
        """What was asked for here is told here; anything else where it was asked for."""
        return super().refused(refusal) if refusal.to in _ACCOUNT_COMMANDS else False

    def _delete(self, name: str) -> None:
        self.wish(DeleteAccount(name))


KEYS_TOP: Final = 3
"""The row where the list begins."""
ROWS_PER_KEY: Final = 2
"""Rows a key."""
_KEY_X: Final = 4


class SshKeysModel(msgspec.Struct, frozen=True):
    """What the screen shows: what the house told (None before), the marked key, the first in sight, a status.

    A `guest` has no key. `door` is what is typed to come here.
    """

    view: KeysView | None = None
    cursor: int = 0
    top: int = 0
    status: str = ""
    guest: bool = False
    door: ShellCommands = ShellCommands()

    @property
    def lines(self) -> Sequence[KeyLine]:
        """The keys."""
        return self.view.keys if self.view is not None else ()

    @property
    def marked(self) -> KeyLine | None:
        """The marked one."""
        return self.lines[self.cursor] if self.lines else None


def ssh_keys_hints(model: SshKeysModel) -> tuple[tuple[str, str], ...]:
    """The keys that do something here, in English."""
    can = () if model.guest else ("code", "add", "drop") if len(model.lines) > 1 else ("code", "add")
    return SSH_KEYS.hints(*can, "actions", "back")


def ssh_keys_height(model: SshKeysModel, look: Look) -> int:
    """How many keys are in sight at once."""
    below = len(_code_rows(model, look))
    return max(1, (look.height - KEYS_TOP - footer_height(look, model.status) - below) // ROWS_PER_KEY)


def scroll_ssh_keys(model: SshKeysModel, look: Look) -> SshKeysModel:
    """The same with the marked one in sight."""
    top = scroll_top(model.top, model.cursor, len(model.lines), ssh_keys_height(model, look))
    return msgspec.structs.replace(model, top=top)


def ssh_key_at(model: SshKeysModel, look: Look, y: int) -> int | None:
    """The number of the key that stands in row `y`, or None."""
    line = (y - KEYS_TOP) // ROWS_PER_KEY
    number = model.top + line
    return (
        number
        if y >= KEYS_TOP and line < ssh_keys_height(model, look) and number < len(model.lines)
        else None
    )


def draw_ssh_keys(model: SshKeysModel, look: Look, hints: Hints) -> Frame:
    """The whole screen, `look.width` by `look.height` cells; `hints` for the last row."""
    canvas = Canvas(look.width, look.height)
    gettext, mark = look.translator.gettext, glyphs(look)
    count = len(model.lines)
    title_bar(canvas, look, gettext("Your ssh keys"), str(count) if count > 1 else "")
    last = min(count, model.top + ssh_keys_height(model, look))
    for line, number in enumerate(range(model.top, last)):
        y, key = KEYS_TOP + ROWS_PER_KEY * line, model.lines[number]
        room = look.width - _KEY_X - 2
        canvas.put(_KEY_X, y, fit(clean(key.fingerprint), room, ascii=look.ascii), "text")
        facts = [clean(fact) for fact in key_facts(key, look.translator)]
        whole = f" {mark.dot} ".join(facts)
        canvas.put(_KEY_X, y + 1, first_that_fits([whole, *reversed(facts)], room), "dim")
        if number == model.cursor:
            canvas.put(2, y, mark.pick, "selected")
            canvas.paint(1, y, look.width - 2, "selected")
    if model.guest:
        # The command in it is to be read, and copied, in one piece.
        told = wrap_command(gettext(HOW_TO_MAKE_A_KEY), look.width - 4, ascii=look.ascii)
        put_rows(canvas, 2, KEYS_TOP + 1, [((line, "text"),) for line in told])
    elif model.view is None and not model.status:
        put_centred(canvas, look.height // 2, gettext("Looking in the register…"), "dim", ascii=look.ascii)
    below = _code_rows(model, look)
    put_rows(canvas, 2, look.height - footer_height(look, model.status) - len(below), below)
    footer(canvas, look, model.status, hints)
    return canvas.frame()


def _code_rows(model: SshKeysModel, look: Look) -> list[Row]:
    """What to do with the code, where there is one; else what these keys are."""
    cells = look.width - 4
    if model.view is None or model.guest:
        return []
    if model.view.code:
        told, typed = key_code_lines(model.view, model.door, look.translator)
        return [
            *wrap_rows(told, "text", cells, ascii=look.ascii),
            *wrap_rows(typed, "key", cells, ascii=look.ascii),
            (),
        ]
    about = look.translator.gettext("The house knows you by these. A key that you lose is to be dropped.")
    return [*wrap_rows(about, "dim", cells, ascii=look.ascii), ()]


MAX_CODE: Final = 20
_KEY_COMMANDS: Final = frozenset(kind.__name__ for kind in (Keys, KeyCode, AddKey, DropKey))


class SshKeysScreen(AppScreen):
    """The list of keys over the lobby, which the house was just asked for."""

    def __init__(self, stage: AppContext, known: ClientState) -> None:
        """It is empty until the house has answered."""
        super().__init__(stage, known)
        welcome = known.welcome
        self.model = SshKeysModel(guest=welcome is not None and welcome.guest, door=stage.door)

    def draw(self, look: Look) -> Frame:
        """The part of the list with the marked key."""
        self.model = scroll_ssh_keys(msgspec.structs.replace(self.model, status=self.news), look)
        return draw_ssh_keys(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return SSH_KEYS

    def hints(self) -> HintRow:
        """What can be done with the list as it is."""
        return ssh_keys_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, ask for a code, type one, or drop the marked key."""
        action = SSH_KEYS.action(press.key)
        by = cursor_step(action, ssh_keys_height(self.model, self.look), len(self.model.lines))
        if by is not None:
            self._move(by)
            return
        match action:
            case "back":
                self.app.pop_screen()
            case _ if self.model.guest:
                # What a guest can do stands on the screen.
                return
            case "code":
                self.wish(KeyCode())
            case "add":
                label = self.look.translator.gettext("The code that your other key was given")
                self.ask(Prompt(label, MAX_CODE, self._add, to=(AddKey.__name__,)))
            case "drop":
                self._drop()

    def tap(self, tap: Tap) -> None:
        """A click marks a key."""
        number = ssh_key_at(self.model, self.look, tap.y)
        if number is not None:
            self._move(number - self.model.cursor)

    def answered(self, answer: QueryAnswer) -> bool:
        """The keys as they are, and what was done."""
        if not isinstance(answer, KeysView):
            return False
        cursor = max(0, min(self.model.cursor, len(answer.keys) - 1))
        self.model = msgspec.structs.replace(self.model, view=answer, cursor=cursor)
        if answer.done == "added":
            self.status = self.look.translator.gettext(key_added_message())
        elif answer.done == "dropped":
            self.status = self.look.translator.gettext(key_dropped_message())
        self.redraw()
        return True

    def refused(self, refusal: Refusal) -> bool:
        """What was asked for here is told here; anything else where it was asked for."""
        return super().refused(refusal) if refusal.to in _KEY_COMMANDS else False

    def _add(self, code: str) -> None:
        self.wish(AddKey(code))

    def _drop(self) -> None:
        marked = self.model.marked
        if marked is None:
            return
        translator = self.look.translator
        sentence = (
            translator.gettext("Drop the key that you use just now, and leave?")
            if marked.here
            else translator.gettext("Drop that key? Whoever has it is somebody else then.")
        )
        self.question = Confirmation(sentence, lambda: self.wish(DropKey(marked.fingerprint)))

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.lines) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)
