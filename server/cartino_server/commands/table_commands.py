"""Run commands about one table from a shell: show it, make moves, chat, list the caller's own tables."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.commands import Act, Say
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.text import LazyMessage, lazy_gettext
from cartino_protocol.views import RoomLine, RoomView
from cartino_protocol.wire import encode_raw
from cartino_server.commands.console import FAILURE, MISUSE, NO_TABLE, REFUSED, CommandError, shorten
from cartino_server.commands.ssh_commands import MakeMoves, SendChat, ShowTable
from cartino_server.lobby.table_list import GameSince, NoSuchTable, RemoteTables, TableBusy
from cartino_server.visitors import Reply
from cartino_tui.game_port.description import game_title, to_json_value
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.i18n import Translator
from cartino_tui.pages.page import pretty_json
from cartino_tui.plain import shell
from cartino_tui.plain.phrases import printable_line
from cartino_tui.visit.messages import kept_tables_message

_NO_SEAT_REASONS: Final[frozenset[RefusalReason]] = frozenset({"not-in-room", "not-seated"})


class TableCommands:
    """The tables, for the `person` who reads `translator`."""

    def __init__(
        self, remote_tables: RemoteTables, person: str, translator: Translator, connection: int = 0
    ) -> None:
        """Answer out of `remote_tables`; they came by that `connection`, 0 for none."""
        self._afar = remote_tables
        self._person = person
        self._connection = connection
        self._tongue = translator

    async def answer(self, verb: ShowTable | MakeMoves | SendChat) -> Reply:
        """What `verb` comes to. Raises CommandError."""
        try:
            match verb:
                case ShowTable(code, json):
                    return await self._show(code, json=json)
                case SendChat(code, text, json):
                    return await self._chat(code, text, json=json)
                case MakeMoves():
                    return await self._move(verb)
        except NoSuchTable as error:
            raise CommandError(error.refusal.words(), NO_TABLE) from None
        except TableBusy as error:
            raise CommandError(error.refusal.words(), REFUSED) from None

    def mine(self, *, json: bool) -> str:
        """One's own tables: in one line for people, those that wait for oneself first; "" where there are none."""
        tables = self._afar.tables_of(self._person)
        if json:
            listed = [{**to_json_value(line), "waits": waits} for line, waits in tables]
            return pretty_json(listed)
        translator = self._tongue
        waiting = _join_codes(line for line, waits in tables if waits)
        others = _join_codes(line for line, waits in tables if not waits and line.state == "playing")
        begin = _join_codes(line for line, _ in tables if line.state == "open")
        parts = (
            translator.gettext("Your turn: {codes}.", codes=waiting) if waiting else "",
            translator.gettext("Not your turn: {codes}.", codes=others) if others else "",
            translator.gettext("Not begun: {codes}.", codes=begin) if begin else "",
        )
        said = " ".join(
            filter(None, (*parts, kept_tables_message(self._afar.mine_of(self._person), translator)))
        )
        return f"{said}\n" if said else ""

    async def _show(self, code: str, *, json: bool) -> Reply:
        room, chat = await self._afar.look(self._person, code, self._connection)
        speech = installed().speeches.get(room.game)
        if json:
            return Reply(stdout=pretty_json(shell.table_json(room, speech)))
        called = game_title(installed().speeches, room.game, room.options, self._tongue)
        first, *others = shell.table_lines(room, speech, called, chat, self._tongue)
        number = [self._tongue.gettext("State {number}.", number=room.number)] if room.number else []
        return Reply(stdout=_join_lines([first, *number, *others]))

    async def _chat(self, code: str, text: str, *, json: bool) -> Reply:
        refusal = await self._afar.do(self._person, code, Say(text[:1000]), self._connection)
        told = (
            pretty_json({"code": code, "refused": _refusal_json(refusal, code, None, self._tongue)})
            if json
            else ""
        )
        return self._reply(told, refusal, code)

    async def _move(self, verb: MakeMoves) -> Reply:
        before, _ = await self._afar.look(self._person, verb.code, self._connection)
        speech = installed().speeches.get(before.game)
        since = None
        if verb.number:
            since = await self._afar.since(self._person, verb.code, verb.number, self._connection)
        view = shell.read_view(before if since is None else since.view, speech)
        moves = [(word, _parse_move(word, speech, view)) for word in verb.moves]
        done: list[str] = []
        refusal: Refusal | None = None
        after: RoomView | None = None
        try:
            for at, (word, move) in enumerate(moves):
                refusal = await self._act(verb, at, move, since)
                if refusal is not None:
                    if (
                        done
                        and speech is not None
                        and speech.only_ends(move)
                        and _turn_is_over(refusal, speech)
                    ):
                        # The turn has ended by itself with the move before.
                        refusal = None
                    break
                done.append(word)
            after, _ = await self._afar.look(self._person, verb.code, self._connection)
        except NoSuchTable:
            # Once its game is over a table may be closed at any moment; what was done is done.
            if not done and refusal is None:
                raise
        except TableBusy:
            # What became of the moves is known all the same.
            pass
        wrong = "" if refusal is None else verb.moves[len(done)]
        if verb.json:
            told = pretty_json(
                {
                    "code": verb.code,
                    "done": done,
                    "refused": _refusal_json(refusal, verb.code, speech, self._tongue, wrong),
                    "table": None if after is None else shell.table_json(after, speech),
                }
            )
        else:
            told = "" if after is None or not done else _join_lines(self._told(before, after, speech))
        # Which of several it was has to be said; where none was made the reason alone may be about all of them.
        about_one = refusal is not None and (done or refusal.reason == "illegal")
        return self._reply(told, refusal, verb.code, speech, wrong if about_one else "")

    async def _act(
        self, verb: MakeMoves, at: int, move: msgspec.Struct, since: GameSince | None
    ) -> Refusal | None:
        """Make the move at place `at` of `verb` unless it was made before; return why not. Raises NoSuchTable."""
        if since is None or at >= since.moves:
            act = Act(verb.number and verb.number + at, encode_raw(move))
            refusal = await self._afar.do(self._person, verb.code, act, self._connection)
            if refusal is None or refusal.reason != "stale":
                return refusal
            # The same command runs twice, or another player moved since the turn ended by itself.
            try:
                since = await self._afar.since(self._person, verb.code, verb.number, self._connection)
            except TableBusy as error:
                return error.refusal
            if since is None or at >= since.moves:
                return refusal
        return _why_not_repeated(since, at, move)

    def _told(self, before: RoomView, after: RoomView, speech: AnySpeech | None) -> Sequence[str]:
        old, view = shell.read_view(before, speech), shell.read_view(after, speech)
        if speech is None or view is None:
            return ()
        happened = () if old is None else speech.happened(after, old, view, self._tongue)
        number = self._tongue.gettext("State {number}.", number=after.number)
        lines = (*happened, *shell.turn_lines(after, speech, view, self._tongue), number)
        return [printable_line(line, ascii=False) for line in lines]

    def _reply(
        self, told: str, refusal: Refusal | None, code: str, speech: AnySpeech | None = None, move: str = ""
    ) -> Reply:
        """What was `told`, and where something was refused why, with the `move` that it was about."""
        if refusal is None:
            return Reply(stdout=told)
        if refusal.reason == "unknown-code":
            raise NoSuchTable(refusal)
        why = _sentence(refusal, code, speech, self._tongue)
        if move:
            why = self._tongue.gettext("{move}: {why}", move=move, why=why)
        status = NO_TABLE if refusal.reason in _NO_SEAT_REASONS else REFUSED
        return Reply(told, f"{why}\n", FAILURE if refusal.reason == "table-broke" else status)


def _parse_move(word: str, speech: AnySpeech | None, view: msgspec.Struct | None) -> msgspec.Struct:
    move = None if speech is None else speech.move(word, view)
    if move is None:
        sentence = lazy_gettext(
            "move: {word} is no move, and nothing was done; see `ssh HOST help move`.", word=_quote(word)
        )
        raise CommandError(sentence, MISUSE)
    return move


def _why_not_repeated(since: GameSince, at: int, move: msgspec.Struct) -> Refusal | None:
    """Why `move` is not the one that was made at place `at`; None where it is, so that nothing has to be done."""
    if since.made(at, encode_raw(move)):
        return None
    return Refusal("stale") if since.waited(at) else Refusal("not-your-turn")


def _quote(word: str) -> str:
    return repr(shorten(word, 20))


def _turn_is_over(refusal: Refusal, speech: AnySpeech) -> bool:
    illegal_end = refusal.reason == "illegal" and refusal.detail in speech.turn_over
    return illegal_end or refusal.reason in {"not-your-turn", "not-playing"}


def _refusal_json(
    refusal: Refusal | None, code: str, speech: AnySpeech | None, translator: Translator, move: str = ""
) -> object:
    """A refusal as JSON has it: None, or the reason, its detail, a sentence, and the move that it was about."""
    if refusal is None:
        return None
    sentence = _sentence(refusal, code, speech, translator)
    told = {"reason": refusal.reason, "detail": refusal.detail, "sentence": sentence}
    return {"move": move, **told} if move else told


def _sentence(refusal: Refusal, code: str, speech: AnySpeech | None, translator: Translator) -> str:
    """Why not. Who types in a shell is in no lobby and watches nothing: they have no seat at the table `code`."""
    if refusal.reason in _NO_SEAT_REASONS:
        return translator.gettext(
            "You have no seat at {code}; where one is free, `ssh -t HOST join {code}` takes it.", code=code
        )
    if refusal.reason == "stale":
        return translator.gettext(
            "Another move was made in that state, or it has not come yet; see `ssh HOST show {code}`.",
            code=code,
        )
    if refusal.reason == "illegal" and speech is not None:
        return speech.refused(refusal.detail, translator)
    words: LazyMessage = refusal.words()
    return translator.render(words)


def _join_codes(lines: Iterable[RoomLine]) -> str:
    return ", ".join(line.code for line in lines)


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
