"""One's ssh keys: which they are, a code for a further one, and to drop one."""

from typing import Final

import msgspec

from cartino_protocol.own_keys import AddKey, DropKey, KeyCode, Keys, KeysView
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Told
from cartino_tui.draw.canvas import Frame
from cartino_tui.games.screen import Look
from cartino_tui.keys import SSH_KEYS, KeyTable
from cartino_tui.known import Known
from cartino_tui.own_keys import added_words, dropped_words
from cartino_tui.screens.base import HintRow, HouseScreen
from cartino_tui.screens.prompt import Ask
from cartino_tui.screens.question import Question
from cartino_tui.screens.ssh_keys_drawing import (
    SshKeysModel,
    draw_ssh_keys,
    key_at,
    keys_hints,
    list_height,
    scrolled,
)
from cartino_tui.screens.stepping import step
from cartino_tui.stage import Stage
from cartino_tui.typeahead import Press, Tap

MOST_CODE: Final = 20
_OURS: Final = frozenset(kind.__name__ for kind in (Keys, KeyCode, AddKey, DropKey))


class SshKeysScreen(HouseScreen):
    """The list of keys over the lobby, which the house was just asked for."""

    def __init__(self, stage: Stage, known: Known) -> None:
        """It is empty until the house has answered."""
        super().__init__(stage, known)
        welcome = known.welcome
        self.model = SshKeysModel(guest=welcome is not None and welcome.guest, door=stage.door)

    def draw(self, look: Look) -> Frame:
        """The part of the list with the marked key."""
        self.model = scrolled(msgspec.structs.replace(self.model, status=self.news), look)
        return draw_ssh_keys(self.model, look, self.shown_hints())

    def keys(self) -> KeyTable:
        """The list's keys."""
        return SSH_KEYS

    def hints(self) -> HintRow:
        """What can be done with the list as it is."""
        return keys_hints(self.model)

    def press(self, press: Press) -> None:
        """Move the cursor, ask for a code, type one, or drop the marked key."""
        action = SSH_KEYS.action(press.key)
        by = step(action, list_height(self.model, self.look), len(self.model.lines))
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
                label = self.look.tongue.say("The code that your other key was given")
                self.ask(Ask(label, MOST_CODE, self._add, to=(AddKey.__name__,)))
            case "drop":
                self._drop()

    def tap(self, tap: Tap) -> None:
        """A click marks a key."""
        number = key_at(self.model, self.look, tap.y)
        if number is not None:
            self._move(number - self.model.cursor)

    def answered(self, answer: Told) -> bool:
        """The keys as they are, and what was done."""
        if not isinstance(answer, KeysView):
            return False
        cursor = max(0, min(self.model.cursor, len(answer.keys) - 1))
        self.model = msgspec.structs.replace(self.model, view=answer, cursor=cursor)
        if answer.done == "added":
            self.status = self.look.tongue.say(added_words())
        elif answer.done == "dropped":
            self.status = self.look.tongue.say(dropped_words())
        self.redraw()
        return True

    def refused(self, refusal: Refusal) -> bool:
        """What was asked for here is told here; anything else where it was asked for."""
        return super().refused(refusal) if refusal.to in _OURS else False

    def _add(self, code: str) -> None:
        self.wish(AddKey(code))

    def _drop(self) -> None:
        marked = self.model.marked
        if marked is None:
            return
        tongue = self.look.tongue
        sentence = (
            tongue.say("Drop the key that you use just now, and leave?")
            if marked.here
            else tongue.say("Drop that key? Whoever has it is somebody else then.")
        )
        self.question = Question(sentence, lambda: self.wish(DropKey(marked.fingerprint)))

    def _move(self, by: int) -> None:
        cursor = max(0, min(self.model.cursor + by, len(self.model.lines) - 1))
        self.model = msgspec.structs.replace(self.model, cursor=cursor)
