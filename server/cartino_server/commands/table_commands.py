"""Commands about tables in a shell: list them, show one, make moves, chat.

The JSON shapes are public: fields are only ever added.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.commands import Act, Say
from cartino_protocol.exit_status import refusal_status
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.text import LazyMessage
from cartino_protocol.views import Missed, OwnGame, TableLine, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.commands.console import misuse, refused, shorten
from cartino_server.commands.ssh_commands import DescribeTable, MakeMoves, SendChat
from cartino_server.deals.deal import Deal
from cartino_server.lobby.remote_tables import GameSince, NoSuchTable, RemoteTables, TableBusy, TableRefusal
from cartino_server.visitors import Reply
from cartino_tui.game_port.description import game_title, to_json_value
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.deals import deal_name
from cartino_tui.pages.history import short_results
from cartino_tui.pages.page import Reader, page_text, pretty_json, row_record
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.plain import shell
from cartino_tui.plain.phrases import printable_line
from cartino_tui.visit.messages import kept_tables_message
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import LobbyEntry


def shell_reader(translator: Translator = ENGLISH, command: str = "") -> Reader:
    """Return the reader of a page in the shell; `command` leads to this server ("ssh -t example.org")."""
    games = installed()
    return Reader(translator, games.speeches, ShellCommands(command), game_names=tuple(games.rules))


def tables_record(tables: Sequence[TableLine]) -> list[dict[str, object]]:
    """Return the tables as JSON has them."""
    return [row_record(TABLES_PAGE.columns, LobbyEntry(table)) for table in tables]


def tables_text(tables: Sequence[TableLine], translator: Translator = ENGLISH) -> str:
    """Return the tables, a line each."""
    return page_text(TABLES_PAGE, TablesView(tuple(map(LobbyEntry, tables))), shell_reader(translator))


def _deal_record(deal: Deal) -> dict[str, object]:
    """Return a shared deal whose table is closed until one returns to it; nothing can be moved there meanwhile."""
    closes = datetime.fromtimestamp(deal.closes, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "state": "put-away",
        "game": deal.game,
        "options": deal.options,
        "daily": deal.number,
        "practice": deal.practice,
        "duplicate": "" if deal.day else deal.name,
        "closes": closes,
        "waits": False,
    }


def _ended_record(own: OwnGame) -> dict[str, object]:
    return {**to_json_value(own.game), "state": "ended", "seat": own.seat, "waits": False}


_NO_SEAT_REASONS: Final[frozenset[RefusalReason]] = frozenset({"not-in-room", "not-seated"})


_AHEAD: Final = "ahead"
"""Detail of `stale` for a state that the game hasn't reached."""


TableVerb = DescribeTable | MakeMoves | SendChat
"""The commands about one table."""


class TableCommands(msgspec.Struct, frozen=True):
    """Runs commands about tables for one person."""

    tables: RemoteTables
    person: str
    translator: Translator
    connection: int = 0
    """The person's connection, 0 for none."""

    async def answer(self, verb: TableVerb) -> Reply:
        """Run `verb`. Raises CommandError."""
        try:
            match verb:
                case DescribeTable(code, json):
                    return await self._show(code, json=json)
                case SendChat(code, text, json):
                    return await self._chat(code, text, json=json)
                case MakeMoves():
                    return await self._move(verb)
        except TableRefusal as error:
            raise refused(error.refusal) from None

    def mine(self, parked: Sequence[Deal], news: Missed, *, json: bool) -> str:
        """List one's own tables, for people in one line, those that wait for oneself first; "" for none.

        `parked` are shared deals whose tables are closed until one returns, `news` has games that are over.
        """
        tables = self.tables.tables_of(self.person)
        if json:
            return pretty_json(
                [
                    *({**to_json_value(line), "waits": waits} for line, waits in tables),
                    *map(_deal_record, parked),
                    *map(_ended_record, news.games),
                ]
            )
        translator, reader = self.translator, shell_reader(self.translator)
        waiting = _join_codes(line for line, waits in tables if waits)
        others = _join_codes(line for line, waits in tables if not waits and line.state == "playing")
        begin = _join_codes(line for line, _ in tables if line.state == "open")
        parts = (
            translator.gettext("Your turn: {codes}.", codes=waiting) if waiting else "",
            translator.gettext("Not your turn: {codes}.", codes=others) if others else "",
            translator.gettext("Not started: {codes}.", codes=begin) if begin else "",
        )
        deals = ", ".join(
            deal_name(deal.game, deal.options, deal.number, deal.name, reader, practice=deal.practice)
            for deal in parked
        )
        more = (
            translator.gettext("Not finished: {deals}.", deals=deals) if deals else "",
            short_results(news, reader),
            kept_tables_message(self.tables.mine_of(self.person), translator),
        )
        said = " ".join(filter(None, (*parts, *more)))
        return f"{said}\n" if said else ""

    async def _show(self, code: str, *, json: bool) -> Reply:
        table, chat = await self.tables.look(self.person, code, self.connection)
        speech = installed().speeches.get(table.game)
        if json:
            return Reply(stdout=pretty_json(shell.table_json(table, speech)))
        called = game_title(installed().speeches, table.game, table.options, self.translator)
        first, *others = shell.table_lines(table, speech, called, chat, self.translator)
        number = [self.translator.gettext("State {number}.", number=table.number)] if table.number else []
        return Reply(stdout=_join_lines([first, *number, *others]))

    async def _chat(self, code: str, text: str, *, json: bool) -> Reply:
        refusal = await self.tables.do(self.person, code, Say(text[:1000]), self.connection)
        told = {"code": code, "refused": _refusal_json(refusal, code, None, self.translator)}
        return self._reply(pretty_json(told) if json else "", refusal, code)

    async def _move(self, verb: MakeMoves) -> Reply:
        before, _ = await self.tables.look(self.person, verb.code, self.connection)
        speech = installed().speeches.get(before.game)
        since = None
        if verb.number:
            since = await self.tables.since(self.person, verb.code, verb.number, self.connection)
        view = shell.read_view(before if since is None else since.view, speech)
        reader = None if verb.json else self.translator
        moves = [(word, _parse_move(word, speech, view, reader)) for word in verb.moves]
        done: list[str] = []
        refusal: Refusal | None = None
        after: TableView | None = None
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
            after, _ = await self.tables.look(self.person, verb.code, self.connection)
        except NoSuchTable:
            # Once its game is over a table may be closed at any moment; what was done is done.
            if not done and refusal is None:
                raise
        except TableBusy:
            # What became of the moves is known all the same.
            pass
        if after is not None and after.state == "finished" and done and before.state == "playing":
            await self.tables.saw_end(self.person, verb.code)
        wrong = "" if refusal is None else verb.moves[len(done)]
        if verb.json:
            told = pretty_json(
                {
                    "code": verb.code,
                    "done": done,
                    "refused": _refusal_json(refusal, verb.code, speech, self.translator, wrong),
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
        """Make the move at place `at` of `verb` unless it was made before; return a refusal. Raises NoSuchTable."""
        if since is None or at >= since.moves:
            act = Act(verb.number and verb.number + at, encode_raw(move))
            refusal = await self.tables.do(self.person, verb.code, act, self.connection)
            if refusal is None or refusal.reason != "stale":
                return refusal
            # The same command runs twice, or another player moved since the turn ended by itself.
            try:
                since = await self.tables.since(self.person, verb.code, verb.number, self.connection)
            except TableBusy as error:
                return error.refusal
            if since is None or at >= since.moves:
                return msgspec.structs.replace(refusal, detail=_AHEAD)
        return _why_not_repeated(since, at, move)

    def _told(self, before: TableView, after: TableView, speech: AnySpeech | None) -> Sequence[str]:
        old, view = shell.read_view(before, speech), shell.read_view(after, speech)
        if speech is None or view is None:
            return ()
        happened = () if old is None else speech.happened(after, old, view, self.translator)
        number = self.translator.gettext("State {number}.", number=after.number)
        lines = (*happened, *shell.turn_lines(after, speech, view, self.translator), number)
        return [printable_line(line, ascii=False) for line in lines]

    def _reply(
        self, told: str, refusal: Refusal | None, code: str, speech: AnySpeech | None = None, move: str = ""
    ) -> Reply:
        """Return what was `told`, and why something was refused, with the `move` that it is about."""
        if refusal is None:
            return Reply(stdout=told)
        if refusal.reason == "unknown-code":
            raise NoSuchTable(refusal)
        why = _sentence(refusal, code, speech, self.translator)
        if move:
            why = self.translator.gettext("{move}: {why}", move=move, why=why)
        return Reply(told, f"{why}\n", refusal_status(refusal.reason))


def _parse_move(
    word: str, speech: AnySpeech | None, view: msgspec.Struct | None, reader: Translator | None
) -> msgspec.Struct:
    """Return the move that `word` means to a `reader` of a language, None for a program."""
    move = None
    if speech is not None:
        move = speech.move(word, view) if reader is None else speech.typed_move(word, view, reader)
    if move is None:
        raise misuse(
            "move: {word} isn't a move, so nothing was done; see `ssh HOST help move`.",
            word=repr(shorten(word, 20)),
        )
    return move


def _why_not_repeated(since: GameSince, at: int, move: msgspec.Struct) -> Refusal | None:
    """Return why `move` isn't the one made at place `at`; None if it is."""
    if since.made(at, encode_raw(move)):
        return None
    return Refusal("stale") if since.waited(at) else Refusal("not-your-turn")


def _turn_is_over(refusal: Refusal, speech: AnySpeech) -> bool:
    illegal_end = refusal.reason == "illegal" and refusal.detail in speech.turn_over
    return illegal_end or refusal.reason in {"not-your-turn", "not-playing"}


def _refusal_json(
    refusal: Refusal | None, code: str, speech: AnySpeech | None, translator: Translator, move: str = ""
) -> object:
    """Return a refusal as JSON has it: reason, detail, sentence, and the move; None for none."""
    if refusal is None:
        return None
    sentence = _sentence(refusal, code, speech, translator)
    told = {"reason": refusal.reason, "detail": refusal.detail, "sentence": sentence}
    return {"move": move, **told} if move else told


def _sentence(refusal: Refusal, code: str, speech: AnySpeech | None, translator: Translator) -> str:
    """Return the sentence of a refusal in a shell, where nobody is in the lobby or watches."""
    if refusal.reason in _NO_SEAT_REASONS:
        return translator.gettext(
            "You have no seat at {code}. If one is free, take it with `ssh -t HOST join {code}`.", code=code
        )
    if refusal.reason == "stale" and refusal.detail == _AHEAD:
        return translator.gettext(
            "The game hasn't reached that state yet; see `ssh HOST show {code}`.", code=code
        )
    if refusal.reason == "stale":
        return translator.gettext(
            "A different move was made in that state; see `ssh HOST show {code}`.", code=code
        )
    if refusal.reason == "illegal" and speech is not None:
        return speech.refused(refusal.detail, translator)
    words: LazyMessage = refusal.words()
    return translator.render(words)


def _join_codes(lines: Iterable[TableLine]) -> str:
    return ", ".join(line.code for line in lines)


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
