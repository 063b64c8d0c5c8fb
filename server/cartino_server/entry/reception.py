"""Where the SSH door meets the house: a face for whoever has a terminal, an answer for who has none."""

from collections.abc import Mapping, Sequence

from cartino_protocol.link import FrameLink
from cartino_protocol.marking import N_, Sentence
from cartino_server.entry.errors import MISUSE, CommandError
from cartino_server.entry.host import Host
from cartino_server.entry.reading import read_verb
from cartino_server.entry.verbs import AT_A_TERMINAL, Go, Learn, Open, Return
from cartino_server.entry.visit import VisitFace
from cartino_server.entry.words import Asked
from cartino_server.ssh.ports import Face, Reply, Terminal, Visitor
from cartino_tui.driver.charset import can_draw
from cartino_tui.driver.notice import Notice
from cartino_tui.intent import Intent, ToLesson, ToLobby, ToNewTable, ToSeat, ToTable
from cartino_tui.preferences import language_of
from cartino_tui.tongue import tongue_of

NO_SCREEN = N_(
    "This terminal (TERM={term}) can't show a table; if it can move its cursor, connect again with TERM=vt100. "
    "`ssh HOST help` lists what works without one."
)


class HouseReception:
    """Receives visitors for a `Host`; the `Reception` of the SSH door."""

    def __init__(self, host: Host) -> None:
        """Receive for `host`."""
        self._host = host

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
            tongue = tongue_of(language_of(facts.env))
            return Notice(terminal, tongue.say(NO_SCREEN, term=facts.term or "-"), MISUSE)
        return VisitFace(terminal, self._host, visitor, intent_of(words))

    def link(self, visitor: Visitor) -> FrameLink:
        """The house for a visitor who draws at home."""
        return self._host.open_link(visitor)

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """What `words` get without a terminal."""
        return await self._host.answer(visitor, words)

    def told(self, sentence: Sentence, env: Mapping[str, str]) -> str:
        """`sentence` in the language that `env` names."""
        return tongue_of(language_of(env)).tell(sentence)


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
        case Learn():
            return ToLesson()
        case _:
            return ToLobby()
