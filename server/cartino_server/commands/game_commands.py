"""Games over SSH: lists of tables and finished games, records, reviews, results of deals and leagues.

The JSON shapes are public: fields are only ever added.
"""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec

from cartino_engine.replay import GameRecord, RecordError, read_record
from cartino_games.registry import installed
from cartino_protocol.base import game_name, parse_code, parse_game_name
from cartino_protocol.deals import Daily, Duplicate, League, LeagueView
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_protocol.views import HistoryView, Missed, TableLine
from cartino_server.commands.console import failure, misuse, not_found, refusal_error
from cartino_server.commands.context import CommandContext, answer_command, shell_reader
from cartino_server.commands.registry import (
    JSON,
    MAX_TYPED,
    Argument,
    parse_game_id,
    parse_game_or_table,
    parse_table_code,
)
from cartino_server.deals.deal import Deal
from cartino_server.lobby.finished.history import RecordRefused, game_replay
from cartino_server.lobby.finished.reviewing import moves_made, turn_view
from cartino_server.lobby.remote_tables import NoRecord, RemoteTables, TooManyCodes, UnknownTable
from cartino_server.review.judging import Review
from cartino_server.store.port import HistoryQuery
from cartino_server.table.bot_executor import BotFailed
from cartino_tui.game_port.description import to_json_value
from cartino_tui.game_port.turn_review import luck_said, turn_said
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.deals import DEAL_PAGE, DUPLICATE_HELP, SECRECY_HELP, deal_name
from cartino_tui.pages.history import GAMES_PER_PAGE, HISTORY_PAGE, short_results
from cartino_tui.pages.leagues import LEAGUE_HELP, LEAGUE_PAGE
from cartino_tui.pages.page import page_text, pretty_json, row_record
from cartino_tui.pages.tables import TABLES_PAGE, TablesView
from cartino_tui.visit.messages import kept_tables_message
from cartino_tui.visit.state import LobbyEntry

MINE_HELP = N_(
    "With --mine, a line also has dailies and duplicate matches that you haven't finished, and the games that "
    "ended while you were away; each is listed once, here or when you log in. --json lists them without marking them "
    'as seen, as "put-away" and "ended" with the tables.'
)

GAMES_HELP = N_(
    "One line per table: its code, the game and its options, its state (open: not started; playing, "
    "paused, finished), then the seats in order. Players whose move the table waits for are marked "
    '"(to move)".\n\nWith --finished: the game\'s ID, the day it ended (UTC), the game and its '
    'options, the seats in order with their totals, and why it ended. Winners are marked "(won)"; '
    "there can be several."
)


@answer_command(
    "games",
    JSON,
    Argument("--finished", N_("the finished games, newest first"), action="store_true"),
    Argument("--mine", N_("only your own: in one line, or with --finished"), action="store_true"),
    Argument("--player", N_("only those that NAME played"), metavar="NAME", default=""),
    Argument("--bots", N_("only games of bot accounts without people"), action="store_true"),
    Argument("--before", N_("only those before the game with that ID"), metavar="GAME", type=parse_game_id),
    forms=(
        ("ssh HOST games [--json]", N_("list the tables; --finished: the finished games")),
        ("ssh HOST games --mine", N_("print, on one line, the tables waiting for you")),
    ),
    details=(GAMES_HELP, MINE_HELP),
)
async def games(
    context: CommandContext,
    player: str,
    before: tuple[str, int] | None,
    *,
    finished: bool,
    mine: bool,
    bots: bool,
    json: bool,
) -> str:
    """List the tables, the caller's own, or finished games, newest first."""
    if finished:
        await context.charge_query()
        number = 0 if before is None else before[1]
        asked = HistoryQuery(context.person.id, mine, player, number, GAMES_PER_PAGE, bots)
        return context.print(HISTORY_PAGE, await _finished(context, asked, json=json), json=json)
    if player or bots or before is not None:
        raise misuse("games: --player, --bots and --before need --finished.")
    if mine:
        return await _own(context, json=json)
    tables = context.services.remote_tables.tables_for(context.person.id)
    return pretty_json(tables_record(tables)) if json else tables_text(tables, context.translator)


async def _finished(context: CommandContext, asked: HistoryQuery, *, json: bool) -> HistoryView:
    history = context.services.queries.history
    found = await history.find_finished_games(asked)
    of: Literal["mine", "player"] = "mine" if asked.mine else "player"
    pruned = not json and await history.pruned()
    return HistoryView(of, asked.name, tuple(found), len(found) == GAMES_PER_PAGE, pruned)


async def _own(context: CommandContext, *, json: bool) -> str:
    """Return the caller's tables, and results that weren't listed yet; JSON doesn't mark them as seen."""
    services, person = context.services, context.person.id
    news = await services.missed_news.find(person)
    parked = await services.deals.parked(person)
    if not json:
        await services.missed_news.mark_as_read(person, news)
    return own_tables(services.remote_tables, person, parked, news, context.translator, json=json)


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


def own_tables(
    remote: RemoteTables,
    person: str,
    parked: Sequence[Deal],
    news: Missed,
    translator: Translator,
    *,
    json: bool,
) -> str:
    """List the tables of `person`, for people in one line, those that wait for them first; "" for none.

    `parked` are shared deals whose tables are closed until they return, `news` has games that are over.
    """
    tables = remote.tables_of(person)
    if json:
        return pretty_json(
            [
                *({**to_json_value(line), "waits": waits} for line, waits in tables),
                *map(_deal_record, parked),
                *(
                    {**to_json_value(own.game), "state": "ended", "seat": own.seat, "waits": False}
                    for own in news.games
                ),
            ]
        )
    reader = shell_reader(translator)
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
        kept_tables_message(remote.mine_of(person), translator),
    )
    said = " ".join(filter(None, (*parts, *more)))
    return f"{said}\n" if said else ""


def _join_codes(lines: Iterable[TableLine]) -> str:
    return ", ".join(line.code for line in lines)


MOST_TOLD = 3
"""Turns of each player that are told in words."""


_NAME: Final = Argument(
    "name",
    N_("a finished game's ID (K7QP-12), or a table's code"),
    metavar="CODE",
    type=parse_game_or_table,
)


@answer_command(
    "export",
    _NAME,
    forms=(("ssh HOST export CODE", N_("print a game's record; without secrets while the game runs")),),
)
async def export(context: CommandContext, name: str) -> str:
    """Print the record of the table or game `name`."""
    await context.charge_query()
    return (await _record(context, name)).decode()


@answer_command(
    "review",
    _NAME,
    JSON,
    forms=(
        ("ssh HOST review CODE [--json]", N_("review a finished game: how many points short each turn was")),
    ),
)
async def review(context: CommandContext, name: str, *, json: bool) -> str:
    """Show what the turns of the finished game `name` have lost."""
    await context.charge_query()
    body, services = await _record(context, name), context.services
    try:
        record = await asyncio.to_thread(read_record, body, services.registry.catalog.games)
        number = None if record.end() is None else await services.queries.history.number(name)
        judged = await services.reviews.review_game(number, record)
        if judged.turns:
            code = parse_code(name)
            # A table's code means the newest game there, which is named: another one may be over soon.
            called = name if code is None or number is None else game_name(code, number)
            if json:
                return pretty_json(await asyncio.to_thread(review_record, record, called, judged))
            return await asyncio.to_thread(review_text, record, called, judged, context.translator)
    except (RecordError, BotFailed):
        raise failure(
            "The game {name} can't be reviewed: its record is damaged, or no bot judged it in time.",
            name=name,
        ) from None
    raise refusal_error(Refusal("no-review", name))


async def _record(context: CommandContext, name: str) -> bytes:
    """Return the record of the table or game `name`. Raises CommandError."""
    services = context.services
    try:
        return await services.remote_tables.record_of(name, context.person.id, context.visitor.connection)
    except TooManyCodes:
        raise refusal_error(Refusal("too-many-codes")) from None
    except RecordRefused as error:
        raise refusal_error(error.refusal) from None
    except UnknownTable:
        asked = parse_game_name(name)
        gone = services.registry.no_table(name if asked is None else asked[0])
        if gone.reason != "unknown-code":
            raise refusal_error(gone) from None
        raise not_found(
            "There is no table or finished game {name}, or it is no longer kept. `ssh HOST games` and `ssh "
            "HOST games --finished` list them.",
            name=name,
        ) from None
    except NoRecord:
        raise failure("The game at {name} hasn't started. Export it once it's running.", name=name) from None


def review_record(record: GameRecord, name: str, review: Review) -> dict[str, object]:
    """Return the review as JSON has it: of every turn the points, moves, those of the best one, and the points lost."""
    replay = game_replay(record, name)
    return {
        "name": name,
        "game": record.game.name,
        "options": record.head.options,
        "seats": [
            {
                "name": player,
                "turns": len(review.turns_of(seat)),
                "lost": review.points_lost_by(seat),
                "luck": review.luck(seat),
            }
            for seat, player in enumerate(record.head.seats)
        ],
        "turns": [
            {
                "turn": turn.number,
                "seat": turn.seat,
                "points": turn.made,
                "best_points": turn.best,
                "moves": [msgspec.msgpack.decode(move) for move in moves_made(replay, turn)],
                "best_moves": [msgspec.msgpack.decode(move) for move in turn.moves],
                "lost": turn.lost,
                "luck": turn.luck,
            }
            for turn in review.turns
        ],
    }


def review_text(record: GameRecord, name: str, review: Review, translator: Translator) -> str:
    """Return the review in words: a line for each player, and one for each of their costliest turns."""
    replay, reader = game_replay(record, name), shell_reader(translator)
    table = replay.view(0)
    gettext, game = translator.gettext, installed().speeches.get(table.game)

    def said(move: msgspec.Raw) -> str:
        return "" if game is None else game.move_said(move, table, translator)

    lines = [
        gettext(
            "{name}, {game}: points short of the best turns",
            name=name,
            game=reader.title(table.game, table.options),
        )
    ]
    for seat, player in enumerate(table.seats):
        called = reader.player(player.name, bot=player.kind == "bot")
        lines.append(
            translator.ngettext(
                "{name}: {lost} in {n} turn",
                "{name}: {lost} in {n} turns",
                len(review.turns_of(seat)),
                name=called,
                lost=translator.decimal(review.points_lost_by(seat)),
            )
        )
        luck = review.luck(seat)
        if luck is not None:
            lines.append("  " + gettext("luck of the draw: {luck}", luck=luck_said(luck)))
        for turn in review.costliest(seat)[:MOST_TOLD]:
            told = turn_said(turn_view(replay, turn), called, said, translator)
            lines.append("  " + gettext("turn {turn}: {told}", turn=turn.number, told=told))
    last = len(replay.course().turns)
    if last > max(turn.number for turn in review.turns):
        lines.append(gettext("Turn {turn} ended the game; it isn't judged.", turn=last))
    return "".join(f"{line}\n" for line in lines)


async def show_results(context: CommandContext, asked: Daily | Duplicate | League, *, json: bool) -> str:
    """Show the results of a daily or duplicate match, or the standings of a league."""
    await context.charge_query()
    found = await context.services.deal_results.answer_deal_query(context.person, asked)
    if isinstance(found, LeagueView):
        return context.print(LEAGUE_PAGE, found, json=json)
    return context.print(DEAL_PAGE, found, json=json)


@answer_command(
    "duplicate",
    Argument(
        "code",
        N_("the match's code, or that of your own table in it"),
        metavar="CODE",
        type=parse_table_code,
    ),
    JSON,
    forms=(("ssh HOST duplicate CODE [--json]", N_("show the results of a duplicate match")),),
    details=(DUPLICATE_HELP, SECRECY_HELP),
)
async def duplicate(context: CommandContext, code: str, *, json: bool) -> str:
    """Show the results of a duplicate match."""
    return await show_results(context, Duplicate(code), json=json)


@answer_command(
    "league",
    Argument("name", N_("which league; else one that runs now"), metavar="NAME", nargs="*"),
    JSON,
    forms=(("ssh HOST league [NAME] [--json]", N_("show the standings of a league")),),
    details=(LEAGUE_HELP,),
)
async def league(context: CommandContext, name: list[str], *, json: bool) -> str:
    """Show the standings of a league."""
    return await show_results(context, League(" ".join(name)[:MAX_TYPED]), json=json)
