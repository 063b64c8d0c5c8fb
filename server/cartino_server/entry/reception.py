"""Where the SSH door meets the house: a face for whoever has a terminal, an answer for who has none."""

from collections.abc import Mapping, Sequence

from cartino_protocol.link import FrameLink
from cartino_protocol.marking import Sentence
from cartino_server.entry.errors import CommandError
from cartino_server.entry.host import Host
from cartino_server.entry.plain_visit import follow, speak
from cartino_server.entry.reading import read_verb
from cartino_server.entry.verbs import AT_A_TERMINAL, Follow, Go, Learn, Open, Plain, Return, Verb
from cartino_server.entry.visit import VisitFace
from cartino_server.entry.words import Asked
from cartino_server.ssh.ports import CommandMode, Face, Reply, Terminal, Visitor
from cartino_tui.driver.charset import can_draw
from cartino_tui.intent import Intent, ToLesson, ToLobby, ToNewTable, ToSeat, ToTable
from cartino_tui.preferences import language_of
from cartino_tui.tongue import tongue_of


class HouseReception:
    """Receives visitors for a `Host`; the `Reception` of the SSH door."""

    def __init__(self, host: Host) -> None:
        """Receive for `host`."""
        self._host = host

    def way(self, words: Sequence[str]) -> CommandMode:
        """See Reception: words that lead to a table want a screen, words that are wrong get one answer."""
        if not words:
            return "screen"
        if words[0] not in AT_A_TERMINAL and words[0] != "plain":
            return "answer"
        try:
            verb = read_verb(words)
        except (CommandError, Asked):
            return "answer"
        return "lines" if isinstance(verb, Plain | Follow) else "screen"

    def face(self, visitor: Visitor, terminal: Terminal, words: Sequence[str]) -> Face:
        """An app for `visitor` on `terminal`, on its way to where `words` lead; in lines where none can be drawn."""
        verb = read_verb(words) if words else None
        if isinstance(verb, Follow):
            return follow(terminal, self._host, visitor, verb)
        if isinstance(verb, Plain) or not can_draw(terminal.facts.term):
            to = verb.to if isinstance(verb, Plain) else verb
            return speak(terminal, self._host, visitor, intent_of(to), asked=isinstance(verb, Plain))
        return VisitFace(terminal, self._host, visitor, intent_of(verb))

    def link(self, visitor: Visitor) -> FrameLink:
        """The house for a visitor who draws at home."""
        return self._host.open_link(visitor)

    async def answer(self, visitor: Visitor, words: Sequence[str]) -> Reply:
        """What `words` get without a terminal."""
        return await self._host.answer(visitor, words)

    def told(self, sentence: Sentence, env: Mapping[str, str]) -> str:
        """`sentence` in the language that `env` names."""
        return tongue_of(language_of(env)).tell(sentence)


def intent_of(verb: Verb | None) -> Intent:
    """Where `verb` leads; to the lobby where it leads nowhere."""
    match verb:
        case Go(code=code, watch=watch):
            return ToTable(code, watch)
        case Open(game, options, seats, bots, listed, clock, absence):
            return ToNewTable(game, options, seats, bots, listed, clock, absence)
        case Return(word=word):
            return ToSeat(word)
        case Learn(game=game):
            return ToLesson(game)
        case _:
            return ToLobby()
