"""Answers about one table, for who asks once from a shell: show it, move, talk there, and which are one's own."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.commands import Act, Say
from cartino_protocol.marking import Sentence, later
from cartino_protocol.refusals import Reason, Refusal
from cartino_protocol.views import RoomLine, RoomView
from cartino_protocol.wire import raw
from cartino_server.entry.errors import FAILURE, MISUSE, NO_TABLE, REFUSED, CommandError, in_one_line
from cartino_server.entry.verbs import Chat, Move, Show
from cartino_server.rooms.afar import Afar, NoSuchTable, NotNow, Since
from cartino_server.ssh.ports import Reply
from cartino_tui.arriving import kept_tables
from cartino_tui.games.description import titled
from cartino_tui.games.reading import whole
from cartino_tui.games.speech import AnySpeech
from cartino_tui.plain import state
from cartino_tui.plain.speech import speakable
from cartino_tui.tongue import Tongue

_NO_SEAT: Final[frozenset[Reason]] = frozenset({"not-in-room", "not-seated"})


class Tables:
    """The tables, for the `person` who reads `tongue`."""

    def __init__(self, afar: Afar, person: str, tongue: Tongue, connection: int = 0) -> None:
        """Answer out of `afar`; they came by that `connection`, 0 for none."""
        self._afar = afar
        self._person = person
        self._connection = connection
        self._tongue = tongue

    async def answer(self, verb: Show | Move | Chat) -> Reply:
        """What `verb` comes to. Raises CommandError."""
        try:
            match verb:
                case Show(code, json):
                    return await self._show(code, json=json)
                case Chat(code, text, json):
                    return await self._chat(code, text, json=json)
                case Move():
                    return await self._move(verb)
        except NoSuchTable as error:
            raise CommandError(error.refusal.words(), NO_TABLE) from None
        except NotNow as error:
            raise CommandError(error.refusal.words(), REFUSED) from None

    def mine(self, *, json: bool) -> str:
        """One's own tables: in one line for people, those that wait for oneself first; "" where there are none."""
        tables = self._afar.tables_of(self._person)
        if json:
            listed = [{**whole(line), "waits": waits} for line, waits in tables]
            return msgspec.json.format(msgspec.json.encode(listed), indent=2).decode() + "\n"
        tongue = self._tongue
        waiting = _codes(line for line, waits in tables if waits)
        others = _codes(line for line, waits in tables if not waits and line.state == "playing")
        begin = _codes(line for line, _ in tables if line.state == "open")
        parts = (
            tongue.say("Your turn: {codes}.", codes=waiting) if waiting else "",
            tongue.say("Not your turn: {codes}.", codes=others) if others else "",
            tongue.say("Not begun: {codes}.", codes=begin) if begin else "",
        )
        said = " ".join(filter(None, (*parts, kept_tables(self._afar.mine_of(self._person), tongue))))
        return f"{said}\n" if said else ""

    async def _show(self, code: str, *, json: bool) -> Reply:
        room, chat = await self._afar.look(self._person, code, self._connection)
        voice = installed().speeches.get(room.game)
        if json:
            return Reply(stdout=_object(state.as_json(room, voice)))
        called = titled(installed().speeches, room.game, room.options, self._tongue)
        first, *others = state.as_lines(room, voice, called, chat, self._tongue)
        number = [self._tongue.say("State {number}.", number=room.number)] if room.number else []
        return Reply(stdout=_text([first, *number, *others]))

    async def _chat(self, code: str, text: str, *, json: bool) -> Reply:
        refusal = await self._afar.do(self._person, code, Say(text[:1000]), self._connection)
        told = _object({"code": code, "refused": _refused(refusal, code, None, self._tongue)}) if json else ""
        return self._reply(told, refusal, code)

    async def _move(self, verb: Move) -> Reply:
        before, _ = await self._afar.look(self._person, verb.code, self._connection)
        voice = installed().speeches.get(before.game)
        since = None
        if verb.number:
            since = await self._afar.since(self._person, verb.code, verb.number, self._connection)
        view = state.read(before if since is None else since.view, voice)
        moves = [(word, _move(word, voice, view)) for word in verb.moves]
        done: list[str] = []
        refusal: Refusal | None = None
        after: RoomView | None = None
        try:
            for at, (word, move) in enumerate(moves):
                refusal = await self._act(verb, at, move, since)
                if refusal is not None:
                    if done and voice is not None and voice.only_ends(move) and _is_over(refusal, voice):
                        # The turn has ended by itself with the move before.
                        refusal = None
                    break
                done.append(word)
            after, _ = await self._afar.look(self._person, verb.code, self._connection)
        except NoSuchTable:
            # Once its game is over a table may be closed at any moment; what was done is done.
            if not done and refusal is None:
                raise
        except NotNow:
            # What became of the moves is known all the same.
            pass
        wrong = "" if refusal is None else verb.moves[len(done)]
        if verb.json:
            told = _object(
                {
                    "code": verb.code,
                    "done": done,
                    "refused": _refused(refusal, verb.code, voice, self._tongue, wrong),
                    "table": None if after is None else state.as_json(after, voice),
                }
            )
        else:
            told = "" if after is None or not done else _text(self._told(before, after, voice))
        # Which of several it was has to be said; where none was made the reason alone may be about all of them.
        about_one = refusal is not None and (done or refusal.reason == "illegal")
        return self._reply(told, refusal, verb.code, voice, wrong if about_one else "")

    async def _act(self, verb: Move, at: int, move: msgspec.Struct, since: Since | None) -> Refusal | None:
        """Make the move at place `at` of `verb` unless it was made before; return why not. Raises NoSuchTable."""
        if since is None or at >= since.moves:
            act = Act(verb.number and verb.number + at, raw(move))
            refusal = await self._afar.do(self._person, verb.code, act, self._connection)
            if refusal is None or refusal.reason != "stale":
                return refusal
            # The same command runs twice, or another player moved since the turn ended by itself.
            try:
                since = await self._afar.since(self._person, verb.code, verb.number, self._connection)
            except NotNow as error:
                return error.refusal
            if since is None or at >= since.moves:
                return refusal
        return _again(since, at, move)

    def _told(self, before: RoomView, after: RoomView, voice: AnySpeech | None) -> Sequence[str]:
        """What was done between two views, and what the table waits for then."""
        old, view = state.read(before, voice), state.read(after, voice)
        if voice is None or view is None:
            return ()
        happened = () if old is None else voice.happened(after, old, view, self._tongue)
        number = self._tongue.say("State {number}.", number=after.number)
        lines = (*happened, *state.state(after, voice, view, self._tongue), number)
        return [speakable(line, ascii=False) for line in lines]

    def _reply(
        self, told: str, refusal: Refusal | None, code: str, voice: AnySpeech | None = None, move: str = ""
    ) -> Reply:
        """What was `told`, and where something was refused why, with the `move` that it was about."""
        if refusal is None:
            return Reply(stdout=told)
        if refusal.reason == "unknown-code":
            raise NoSuchTable(refusal)
        why = _sentence(refusal, code, voice, self._tongue)
        if move:
            why = self._tongue.say("{move}: {why}", move=move, why=why)
        status = NO_TABLE if refusal.reason in _NO_SEAT else REFUSED
        return Reply(told, f"{why}\n", FAILURE if refusal.reason == "table-broke" else status)


def _move(word: str, voice: AnySpeech | None, view: msgspec.Struct | None) -> msgspec.Struct:
    """The move that `word` stands for at the table `view`. Raises CommandError."""
    move = None if voice is None else voice.move(word, view)
    if move is None:
        sentence = later(
            "move: {word} is no move, and nothing was done; see `ssh HOST help move`.", word=_quoted(word)
        )
        raise CommandError(sentence, MISUSE)
    return move


def _again(since: Since, at: int, move: msgspec.Struct) -> Refusal | None:
    """Why `move` is not the one that was made at place `at`; None where it is, so that nothing has to be done."""
    if since.made(at, raw(move)):
        return None
    return Refusal("stale") if since.waited(at) else Refusal("not-your-turn")


def _quoted(word: str) -> str:
    return repr(in_one_line(word, 20))


def _is_over(refusal: Refusal, voice: AnySpeech) -> bool:
    """Whether a move is refused because the turn, or the game, is over."""
    illegal_end = refusal.reason == "illegal" and refusal.detail in voice.turn_over
    return illegal_end or refusal.reason in {"not-your-turn", "not-playing"}


def _refused(
    refusal: Refusal | None, code: str, voice: AnySpeech | None, tongue: Tongue, move: str = ""
) -> object:
    """A refusal as JSON has it: None, or the reason, its detail, a sentence, and the move that it was about."""
    if refusal is None:
        return None
    sentence = _sentence(refusal, code, voice, tongue)
    told = {"reason": refusal.reason, "detail": refusal.detail, "sentence": sentence}
    return {"move": move, **told} if move else told


def _sentence(refusal: Refusal, code: str, voice: AnySpeech | None, tongue: Tongue) -> str:
    """Why not. Who types in a shell is in no lobby and watches nothing: they have no seat at the table `code`."""
    if refusal.reason in _NO_SEAT:
        return tongue.say(
            "You have no seat at {code}; where one is free, `ssh -t HOST join {code}` takes it.", code=code
        )
    if refusal.reason == "stale":
        return tongue.say(
            "Another move was made in that state, or it has not come yet; see `ssh HOST show {code}`.",
            code=code,
        )
    if refusal.reason == "illegal" and voice is not None:
        return voice.refused(refusal.detail, tongue)
    words: Sentence = refusal.words()
    return tongue.tell(words)


def _codes(lines: Iterable[RoomLine]) -> str:
    return ", ".join(line.code for line in lines)


def _object(told: object) -> str:
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def _text(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
