"""Whom one hears and whom not, in lines: to ignore somebody, to hear them again, to be told who it is."""

from cartino_protocol.commands import Ignore
from cartino_protocol.neighbours import IgnoredPerson
from cartino_tui.plain.floor import Floor

MOST_NAME = 1000


class Ignoring:
    """The words for it, which are the same everywhere."""

    def __init__(self, floor: Floor) -> None:
        """On `floor`."""
        self._floor = floor

    def ignore(self, name: str) -> None:
        """Hear no more of `name`; whoever has said something here under that name is meant first."""
        if not name:
            self._floor.tell(self._floor.tongue.say("Type ignore and the name of a person."))
            return
        chat = self._floor.known.chat
        lines = () if chat is None else chat.lines
        who = next((line.who for line in reversed(lines) if _is(name, line.name)), "")
        self._floor.say(Ignore(who, name[:MOST_NAME]))

    def hear(self, name: str) -> None:
        """Hear `name` again, as the list has it."""
        tongue = self._floor.tongue
        meant = next((person for person in self._people if _is(name, person.name)), None)
        if not name:
            self._floor.tell(tongue.say("Type unignore and a name; ignored tells whom you ignore."))
        elif meant is None:
            self._floor.tell(tongue.say("You don't ignore anybody called {name}.", name=name))
        else:
            self._floor.say(Ignore(meant.who, meant.name, on=False))

    def listed(self) -> None:
        """Tell whom one ignores."""
        tongue = self._floor.tongue
        if self._people:
            names = ", ".join(person.name for person in self._people)
            self._floor.tell(
                tongue.count(
                    "You ignore {n} person: {names}.",
                    "You ignore {n} people: {names}.",
                    len(self._people),
                    names=names,
                ),
                tongue.say("unignore NAME hears somebody again."),
            )
        else:
            self._floor.tell(tongue.say("You ignore nobody; ignore NAME hears no more of somebody."))

    @property
    def _people(self) -> tuple[IgnoredPerson, ...]:
        return self._floor.known.ignored or ()


def _is(typed: str, name: str) -> bool:
    return typed.casefold() == name.casefold()
