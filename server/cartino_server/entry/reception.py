"""Where the SSH door meets the house: a face for whoever has a terminal, an answer for who has none."""

from collections.abc import Sequence

from cartino_server.entry.errors import FAILURE, MISUSE, CommandError
from cartino_server.entry.listing import as_json, as_text
from cartino_server.entry.verbs import AT_A_TERMINAL, HELP, Export, Games, Go, Help, Open, read_verb
from cartino_server.entry.visit import VisitFace
from cartino_server.entry.words import Asked
from cartino_server.rooms.house import House, NoRecord, UnknownRoom
from cartino_server.rooms.people import Person
from cartino_server.ssh.ports import Face, Reply, Terminal, Visitor
from cartino_tui.driver.charset import can_draw
from cartino_tui.driver.notice import Notice
from cartino_tui.intent import Intent, ToLobby, ToNewTable, ToTable

NO_SCREEN = (
    "This terminal (TERM={term}) can't show a table; if it can move its cursor, connect again with TERM=vt100. "
    "`ssh HOST help` lists what works without one."
)


class HouseReception:
    """Receives visitors of `house`; the `Reception` of the SSH door."""

    def __init__(self, house: House) -> None:
        """Receive for `house`."""
        self._house = house
        self.door = ""
        """The words that bring a friend here, before `join CODE`; known once the door is open."""

    def wants_terminal(self, words: Sequence[str]) -> bool:
        """Whether `words` lead to a table: then they need a terminal. Words that are wrong need none."""
        if not words:
            return True
        if words[0] not in AT_A_TERMINAL:
            return False
        try:
            read_verb(words)
        except (CommandError, Asked):
            return False
        return True

    def face(self, visitor: Visitor, terminal: Terminal, words: Sequence[str]) -> Face:
        """An app for `visitor` on `terminal`, on its way to where `words` lead; a word where none can be drawn."""
        facts = terminal.facts
        if not can_draw(facts.term):
            return Notice(terminal, NO_SCREEN.format(term=facts.term or "unset"), MISUSE)
        person = Person(visitor.person, visitor.name, visitor.guest)
        return VisitFace(terminal, self._house, person, _intent(words), self.door)

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """What `words` get without a terminal."""
        try:
            return Reply(stdout=self._say(visitor, words))
        except Asked as asked:
            return Reply(stdout=asked.text)
        except CommandError as error:
            return Reply(stderr=f"{error}\n", status=error.code)

    def _say(self, visitor: Visitor, words: Sequence[str]) -> str:
        match read_verb(words):
            case Games(json=json):
                rooms = self._house.rooms_for(visitor.person)
                return as_json(rooms) if json else as_text(rooms)
            case Export(code=code):
                return self._export(code)
            case Help():
                return HELP
            case Go() | Open():
                raise CommandError("That needs a terminal; use `ssh -t`.")

    def _export(self, code: str) -> str:
        try:
            return self._house.record_of(code).decode()
        except UnknownRoom:
            raise CommandError(
                f"There is no table with the code {code}; `ssh HOST games` lists them.", FAILURE
            ) from None
        except NoRecord:
            raise CommandError(
                f"Nothing has been dealt at {code} yet; export it once its game runs."
            ) from None


def _intent(words: Sequence[str]) -> Intent:
    if not words:
        return ToLobby()
    match read_verb(words):
        case Go(code=code, watch=watch):
            return ToTable(code, watch)
        case Open(game=game, options=options, seats=seats, bots=bots, open=listed):
            return ToNewTable(game, options, seats, bots, listed)
        case _:
            return ToLobby()
