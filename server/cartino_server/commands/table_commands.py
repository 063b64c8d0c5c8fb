"""Commands about one table in a shell: show it, make moves, chat.

The JSON shapes are public: fields are only ever added.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from cartino_games.registry import installed
from cartino_protocol.commands import Act, Say
from cartino_protocol.exit_status import refusal_status
from cartino_protocol.refusals import Refusal, RefusalReason
from cartino_protocol.text import N_, LazyMessage
from cartino_protocol.views import ChatView, TableView
from cartino_protocol.wire import encode_raw
from cartino_server.commands.console import misuse, shorten
from cartino_server.commands.context import CommandContext, answer_command
from cartino_server.commands.parser import whole_number
from cartino_server.commands.registry import CODE, JSON, Argument, exit_status_help
from cartino_server.lobby.remote_tables import GameSince, NoSuchTable, TableBusy
from cartino_server.visitors import Reply
from cartino_tui.game_port.description import game_title
from cartino_tui.game_port.speech import AnySpeech
from cartino_tui.i18n import Translator
from cartino_tui.pages.page import pretty_json
from cartino_tui.plain import shell
from cartino_tui.plain.phrases import printable_line

MOVES_HELP: Final = N_(
    "Moves are made in order. The command stops at the first that is refused and says what was done so "
    "far; words that aren't moves are reported before anything is done. An end after moves that "
    "already ended the turn isn't an error. Type the letters of cards and colours in your language; English "
    "ones work, too, unless they mean something else there. With --json, type English ones."
)

NUMBER_HELP: Final = N_(
    "With --number N, the first move applies to state N of the game, the next one to state N + 1: "
    "moves you already made there aren't repeated, and different ones are refused. So you can safely "
    "send the same command again after status 75. `show` and `move` print the number of the state they "
    "show."
)

MAX_MOVES: Final = 32
"""Moves in one command."""
_MAX_CHAT: Final = 1000
"""Characters of a chat message that are looked at."""
_NO_SEAT_REASONS: Final[frozenset[RefusalReason]] = frozenset({"not-in-room", "not-seated"})
_AHEAD: Final = "ahead"
"""Detail of `stale` for a state that the game hasn't reached."""


class _Table(msgspec.Struct, frozen=True):
    """The table `code`, as the caller reaches it. Every call raises TableRefusal."""

    context: CommandContext
    code: str

    async def look(self) -> tuple[TableView, ChatView]:
        return await self.context.services.remote_tables.look(
            self.context.person.id, self.code, self.context.visitor.connection
        )

    async def do(self, command: Act | Say) -> Refusal | None:
        return await self.context.services.remote_tables.do(
            self.context.person.id, self.code, command, self.context.visitor.connection
        )

    async def since(self, number: int) -> GameSince | None:
        return await self.context.services.remote_tables.since(
            self.context.person.id, self.code, number, self.context.visitor.connection
        )

    async def act(
        self, number: int, at: int, move: msgspec.Struct, since: GameSince | None
    ) -> Refusal | None:
        """Make the move at place `at` of those from state `number` on (0: the current one), unless it was made before.

        Return a refusal.
        """
        if since is None or at >= since.moves:
            refusal = await self.do(Act(number and number + at, encode_raw(move)))
            if refusal is None or refusal.reason != "stale":
                return refusal
            # The same command runs twice, or another player moved since the turn ended by itself.
            try:
                since = await self.since(number)
            except TableBusy as error:
                return error.refusal
            if since is None or at >= since.moves:
                return msgspec.structs.replace(refusal, detail=_AHEAD)
        if since.made(at, encode_raw(move)):
            return None
        return Refusal("stale") if since.waited(at) else Refusal("not-your-turn")

    def reply(
        self, shown: str, refusal: Refusal | None, speech: AnySpeech | None = None, move: str = ""
    ) -> Reply:
        """Return what is `shown`, and why something was refused, with the `move` that it is about."""
        if refusal is None:
            return Reply(stdout=shown)
        if refusal.reason == "unknown-code":
            raise NoSuchTable(refusal)
        translator = self.context.translator
        why = _sentence(refusal, self.code, speech, translator)
        if move:
            why = translator.gettext("{move}: {why}", move=move, why=why)
        return Reply(shown, f"{why}\n", refusal_status(refusal.reason))


@answer_command(
    "show",
    CODE,
    JSON,
    forms=(("ssh HOST show CODE", N_("show a table as text, with your hand if you're playing there")),),
    details=(exit_status_help,),
)
async def show(context: CommandContext, code: str, *, json: bool) -> str:
    """Show the table `code`."""
    return await describe_table(context, code, json=json)


async def describe_table(context: CommandContext, code: str, *, json: bool) -> str:
    """Return the table `code` as text or JSON. Raises TableRefusal."""
    table, chat = await _Table(context, code).look()
    speech, gettext = installed().speeches.get(table.game), context.translator.gettext
    if json:
        return pretty_json(shell.table_json(table, speech))
    called = game_title(installed().speeches, table.game, table.options, context.translator)
    first, *others = shell.table_lines(table, speech, called, chat, context.translator)
    number = [gettext("State {number}.", number=table.number)] if table.number else []
    return _join_lines([first, *number, *others])


def _move_help(translator: Translator) -> str:
    return "\n\n".join(
        f"{name}: {translator.gettext(speech.move_words())}." for name, speech in installed().speeches.items()
    )


@answer_command(
    "move",
    CODE,
    JSON,
    Argument(
        "--number",
        N_("the state that the first move applies to, so that the command can be sent again"),
        metavar="N",
        type=whole_number,
    ),
    Argument("moves", N_("a move, see below"), metavar="MOVE", nargs="+"),
    about=N_("Make moves at a table where you're playing."),
    forms=(("ssh HOST move CODE MOVE...", N_("make moves; see `help move` for how to write them")),),
    details=(MOVES_HELP, NUMBER_HELP, _move_help, exit_status_help),
)
async def move(
    context: CommandContext, code: str, moves: list[str], number: int | None, *, json: bool
) -> Reply:
    """Make `moves` at the table `code`, the first one in its state `number`."""
    if len(moves) > MAX_MOVES:
        raise misuse("move: at most {n} moves at once.", n=MAX_MOVES)
    if number is not None and number < 1:
        raise misuse("move: --number: states start at 1.")
    if number:
        await context.charge_query()
    table, translator = _Table(context, code), context.translator
    before, _ = await table.look()
    speech = installed().speeches.get(before.game)
    since = await table.since(number) if number else None
    view = shell.read_view(before if since is None else since.view, speech)
    parsed = [(word, _parse_move(word, speech, view, None if json else translator)) for word in moves]
    done: list[str] = []
    refusal: Refusal | None = None
    after: TableView | None = None
    try:
        for at, (word, each) in enumerate(parsed):
            refusal = await table.act(number or 0, at, each, since)
            if refusal is not None:
                if done and speech is not None and speech.only_ends(each) and _turn_is_over(refusal, speech):
                    # The turn has ended by itself with the move before.
                    refusal = None
                break
            done.append(word)
        after, _ = await table.look()
    except NoSuchTable:
        # Once its game is over a table may be closed at any moment; what was done is done.
        if not done and refusal is None:
            raise
    except TableBusy:
        # What became of the moves is known all the same.
        pass
    if after is not None and after.state == "finished" and done and before.state == "playing":
        await context.services.remote_tables.saw_end(context.person.id, code)
    wrong = "" if refusal is None else moves[len(done)]
    if json:
        shown = pretty_json(
            {
                "code": code,
                "done": done,
                "refused": _refusal_json(refusal, code, speech, translator, wrong),
                "table": None if after is None else shell.table_json(after, speech),
            }
        )
    else:
        shown = "" if after is None or not done else _join_lines(_events(before, after, speech, translator))
    # Which of several it was has to be said; where none was made the reason alone may be about all of them.
    about_one = refusal is not None and (done or refusal.reason == "illegal")
    return table.reply(shown, refusal, speech, wrong if about_one else "")


def _events(
    before: TableView, after: TableView, speech: AnySpeech | None, translator: Translator
) -> Sequence[str]:
    """Return what happened between two views, and whose turn it is."""
    old, view = shell.read_view(before, speech), shell.read_view(after, speech)
    if speech is None or view is None:
        return ()
    happened = () if old is None else speech.describe_events(after, old, view, translator)
    number = translator.gettext("State {number}.", number=after.number)
    lines = (*happened, *shell.turn_lines(after, speech, view, translator), number)
    return [printable_line(line, ascii=False) for line in lines]


@answer_command(
    "chat",
    CODE,
    JSON,
    Argument("text", N_("the message"), metavar="WORDS", nargs="+"),
    forms=(("ssh HOST chat CODE WORDS", N_("send a message to a table where you're seated")),),
    details=(exit_status_help,),
)
async def chat(context: CommandContext, code: str, text: list[str], *, json: bool) -> Reply:
    """Send a message to the chat of the table `code`."""
    table = _Table(context, code)
    refusal = await table.do(Say(" ".join(text)[:_MAX_CHAT]))
    sent = {"code": code, "refused": _refusal_json(refusal, code, None, context.translator)}
    return table.reply(pretty_json(sent) if json else "", refusal)


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
        return speech.describe_refusal(refusal.detail, translator)
    words: LazyMessage = refusal.words()
    return translator.render(words)


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
