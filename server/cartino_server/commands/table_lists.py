"""`ssh HOST games`: list tables, one's own, or finished games.

The JSON shapes are public: fields are only ever added.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal

from cartino_protocol.text import N_
from cartino_protocol.views import HistoryView, Missed, TableLine
from cartino_server.commands.console import misuse
from cartino_server.commands.context import CommandContext, answer_command, shell_reader
from cartino_server.commands.registry import JSON, Argument, parse_game_id
from cartino_server.deals.deal import Deal
from cartino_server.lobby.remote_tables import RemoteTables
from cartino_server.store.port import HistoryQuery
from cartino_tui.game_port.description import to_json_value
from cartino_tui.i18n import ENGLISH, Translator
from cartino_tui.pages.deals import deal_name
from cartino_tui.pages.history import GAMES_PER_PAGE, HISTORY_PAGE, short_results
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
    """Return one's own tables, and the results that weren't listed yet; JSON doesn't mark them as seen."""
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
