"""Where the SSH door meets the house: a face for whoever has a terminal, an answer for who has none."""

from collections.abc import Sequence

from cartino_protocol.ids import read_game_name
from cartino_protocol.refusals import Refusal
from cartino_server.entry import listing, past
from cartino_server.entry.errors import FAILURE, MISUSE, CommandError
from cartino_server.entry.reading import read_verb
from cartino_server.entry.verbs import (
    AT_A_TERMINAL,
    HELP,
    Export,
    Finished,
    Games,
    Go,
    Help,
    Open,
    Return,
)
from cartino_server.entry.visit import VisitFace
from cartino_server.entry.words import Asked
from cartino_server.rooms.house import House, NoRecord, UnknownRoom
from cartino_server.rooms.people import Person
from cartino_server.ssh.ports import Face, Reply, Terminal, Visitor
from cartino_server.store.port import JournalDead
from cartino_tui.driver.charset import can_draw
from cartino_tui.driver.notice import Notice
from cartino_tui.intent import Intent, ToLobby, ToNewTable, ToSeat, ToTable

NO_SCREEN = (
    "This terminal (TERM={term}) can't show a table; if it can move its cursor, connect again with TERM=vt100. "
    "`ssh HOST help` lists what works without one."
)
NOT_THERE = "There is no table and no finished game {name}; `ssh HOST games` and `ssh HOST games --finished` list them."
NO_JOURNAL = "The house has lost its journal and is about to end; come back a little later."


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
        return VisitFace(terminal, self._house, person, intent_of(words), self.door)

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """What `words` get without a terminal."""
        try:
            return Reply(stdout=await self._say(visitor, words))
        except Asked as asked:
            return Reply(stdout=asked.text)
        except CommandError as error:
            return Reply(stderr=f"{error}\n", status=error.code)
        except JournalDead:
            return Reply(stderr=f"{NO_JOURNAL}\n", status=FAILURE)

    async def _say(self, visitor: Visitor, words: Sequence[str]) -> str:
        match read_verb(words):
            case Games(json=json):
                rooms = self._house.rooms_for(visitor.person)
                return listing.as_json(rooms) if json else listing.as_text(rooms)
            case Finished(json, mine, player, before):
                games = await self._house.past(
                    visitor.person, mine=mine, name=player, before=before, most=past.MOST
                )
                return past.as_json(games) if json else past.as_text(games)
            case Export(name=name):
                return await self._export(name)
            case Help():
                return HELP
            case Go() | Open() | Return():
                raise CommandError("That needs a terminal; use `ssh -t`.")

    async def _export(self, name: str) -> str:
        try:
            return (await self._house.record_of(name)).decode()
        except UnknownRoom:
            asked = read_game_name(name)
            if (name if asked is None else asked[0]) in self._house.set_aside:
                raise CommandError(Refusal("set-aside", name).sentence()) from None
            raise CommandError(NOT_THERE.format(name=name)) from None
        except NoRecord:
            raise CommandError(
                f"Nothing has been dealt at {name} yet; export it once its game runs."
            ) from None


def intent_of(words: Sequence[str]) -> Intent:
    """Where `words` lead; to the lobby where they lead nowhere. Raises as `read_verb` does."""
    if not words:
        return ToLobby()
    match read_verb(words):
        case Go(code=code, watch=watch):
            return ToTable(code, watch)
        case Open(game, options, seats, bots, listed, clock, absence):
            return ToNewTable(game, options, seats, bots, listed, clock, absence)
        case Return(word=word):
            return ToSeat(word)
        case _:
            return ToLobby()
