"""Admin commands about the server: its tables, games and leagues, announcements, settings, health and end."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Final

from cartino_protocol.base import parse_code
from cartino_protocol.exit_status import NOT_FOUND
from cartino_protocol.notices import Announced
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.admin import listings
from cartino_server.admin.context import (
    BECAUSE,
    FOR,
    MORE,
    REASON_HELP,
    TIME_HELP,
    WHERE_HELP,
    AdminContext,
    AdminResult,
    admin_command,
    parse_text,
    refuse_words,
    result,
)
from cartino_server.commands.console import CommandError, failure, misuse, not_found, shorten
from cartino_server.commands.registry import Argument, Values, parse_table_code
from cartino_server.deals.deal import date_of, read_date
from cartino_server.networks import parse_network
from cartino_server.store.moderation import format_moment
from cartino_server.table.lifetime import EvictionLoss

DEFAULT_DRAIN_SECONDS: Final = 7200.0
"""Seconds after which a draining server ends games that still run."""
MAX_LEAGUE_DAYS: Final = 366
MAX_LEAGUE_NAME: Final = 40
TABLE_NOT_FOUND: Final = N_("There is no table {code}. `admin tables` lists all tables.")


@admin_command("tables", forms=(("tables", N_("list all tables, including private ones")),), audited=False)
async def tables(context: AdminContext) -> AdminResult:
    """List all tables, private ones too."""
    found, listed = context.services.overview.tables()
    held = {table.code: table for table in context.services.registry.holdings()}
    return AdminResult(
        listings.all_tables_data(found, listed, held), partial(listings.all_tables_text, found, listed, held)
    )


def _read_close(values: Values) -> Mapping[str, object]:
    words: list[str] = values.codes
    codes: tuple[str, ...] = ()
    if values.source or values.unplayed:
        if words and parse_code(words[0]) is not None:
            raise misuse("close: give either codes or an option, not both.")
        refuse_words("close", words)
    elif not words:
        raise misuse("close: name a table, like `close K7QP` or `close K7QP ABCD`; see `admin help close`.")
    else:
        first, *more = (code for word in words for code in word.upper().split(",") if code)
        refuse_words("close", [word for word in more if parse_code(word) is None])
        codes = tuple(dict.fromkeys(map(parse_table_code, (first, *more))))
    return {**vars(values), "codes": codes}


@admin_command(
    "close",
    Argument(
        "--from", N_("tables opened from that address or network"), dest="source", metavar="WHERE", default=""
    ),
    Argument("--unplayed", N_("empty tables where no person has made a move"), action="store_true"),
    Argument("codes", None, metavar="CODE", nargs="*", default=[]),
    BECAUSE,
    forms=(
        (
            "close CODE [CODE ...] [--because TEXT]",
            N_("close one or more tables; their players return to the lobby"),
        ),
        ("close --from WHERE [--because TEXT]", N_("close tables opened from an address or a network")),
        ("close --unplayed [--because TEXT]", N_("close empty tables where no person has made a move")),
    ),
    details=(WHERE_HELP, REASON_HELP),
    read=_read_close,
)
async def close(
    context: AdminContext, codes: tuple[str, ...], source: str, reason: str, *, unplayed: bool
) -> AdminResult:
    """Close the tables `codes`; without codes those opened from `source`, or those without a human move."""
    named, codes = codes, codes or await _matching_tables(context, source, unplayed=unplayed)
    done = await asyncio.gather(*(context.services.moderation.close(code, reason) for code in codes))
    closed = [code for code, is_closed in zip(codes, done, strict=True) if is_closed]
    missing = [LazyMessage(TABLE_NOT_FOUND, {"code": code}) for code in named if code not in closed]
    if not closed and missing:
        raise CommandError(missing[0], NOT_FOUND)
    if named:
        sentences = [lazy_gettext("Table {code} is closed.", code=code) for code in closed]
    else:
        sentences = [lazy_ngettext("{n} table is closed.", "{n} tables are closed.", len(closed))]
    return result({"closed": closed}, *sentences, *missing)


async def _matching_tables(context: AdminContext, source: str, *, unplayed: bool) -> tuple[str, ...]:
    network = await context.lookup.network_of(source) if source else None

    def is_from(origin: tuple[str, ...]) -> bool:
        came = parse_network(origin[0]) if origin else None
        return network is None or (came is not None and came.overlaps(network))

    return tuple(
        table.code
        for table in context.services.registry.holdings()
        if not (unplayed and table.loss > EvictionLoss.DEAL) and is_from(table.origin)
    )


@admin_command(
    "say",
    Argument("text", None, metavar="TEXT", nargs="+", convert=parse_text),
    forms=(("say TEXT", N_("announce something to everyone online")),),
)
async def say(context: AdminContext, text: str) -> AdminResult:
    """Announce `text` to everybody online."""
    n = context.services.moderation.announce(Announced("says", text))
    return result({"told": n}, lazy_ngettext("Sent to {n} person.", "Sent to {n} people.", n))


def parse_timestamp(text: str) -> int:
    """Return a day or moment in Unix seconds, in UTC unless it has an offset. Raises CommandError."""
    try:
        moment = datetime.fromisoformat(text.upper())
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise misuse(
            "prune: {text} isn't a date; write it like `--before 2026-01-31` (UTC).",
            text=repr(shorten(text, 40)),
        ) from None


@admin_command(
    "prune",
    Argument(
        "--before",
        N_("games that ended before that day, like 2026-01-31 (UTC)"),
        metavar="DATE",
        type=parse_timestamp,
    ),
    Argument("--dry-run", N_("remove nothing"), action="store_true", dest="dry"),
    forms=(
        (
            "prune",
            N_("remove finished games that the settings no longer keep, and games of closed deals, now"),
        ),
        ("prune --before DATE", N_("remove all games that ended before that day (UTC), like 2026-01-31")),
        ("prune --dry-run", N_("only count the games, remove nothing; also with --before")),
    ),
)
async def prune(context: AdminContext, before: int | None, *, dry: bool) -> AdminResult:
    """Remove the games that ended `before` then (Unix seconds, None: by the settings); `dry`: only count them."""
    if before is not None and before > context.now():
        raise misuse("prune: that day is in the future; name one that has begun, like `--before 2026-01-31`.")
    if context.upkeep is None:
        raise failure("No games are kept here.")
    n = await context.upkeep.count(before)
    cleanup = context.services.deals.cleanup
    parked = await cleanup.count(before)
    data = {"games": n, "parked": parked, "dry_run": dry}
    if dry:
        would = lazy_ngettext(
            "{n} finished game would be removed.", "{n} finished games would be removed.", n
        )
        more = lazy_ngettext(
            "{n} parked game would be removed.", "{n} parked games would be removed.", parked
        )
        return result({**data, "done": False}, would, *([more] if parked else []))
    cleanup.order(before)
    done = await context.upkeep.order(before)
    sentence = (
        lazy_ngettext("Removed {n} finished game.", "Removed {n} finished games.", n)
        if done
        else lazy_ngettext("Removing {n} finished game.", "Removing {n} finished games.", n)
    )
    also = lazy_ngettext("Removing {n} parked game.", "Removing {n} parked games.", parked)
    return result({**data, "done": done and not parked}, sentence, *([also] if parked else []))


def _read_league(values: Values) -> Mapping[str, object]:
    named = {"name": values.name, "game": values.game}
    if values.action == "drop":
        return {**named, "first": 0, "last": 0}
    first, last = read_date(values.first), read_date(values.last)
    if first is None or last is None or not first <= last < first + MAX_LEAGUE_DAYS:
        raise misuse(
            "league: give the first and the last day, a year apart at most, like `--from 2026-01-01 --to "
            "2026-01-31`."
        )
    if len(values.name) > MAX_LEAGUE_NAME:
        raise misuse("league: a name has at most {most} characters.", most=MAX_LEAGUE_NAME)
    return {**named, "first": first, "last": last}


@admin_command(
    "league",
    Argument("action", None, metavar="ACTION", choices=("new", "drop")),
    Argument("name", None, metavar="NAME", nargs="+", convert=parse_text),
    Argument("--from", N_("its first day, like 2026-01-31 (UTC)"), metavar="DATE", dest="first", default=""),
    Argument("--to", N_("its last day"), metavar="DATE", dest="last", default=""),
    Argument("--game", N_("which game; else the first"), metavar="GAME", default=""),
    forms=(
        (
            "league new NAME --from DATE --to DATE [--game GAME]",
            N_("make a league over the daily games of these days"),
        ),
        ("league drop NAME", N_("delete a league; the days and their results stay")),
    ),
    read=_read_league,
)
async def league(context: AdminContext, name: str, game: str, first: int, last: int) -> AdminResult:
    """Make a league of `game` over the days `first` to `last` (since 1970), or drop it if there are none."""
    deals = context.services.deal_results
    if not last:
        if not await deals.drop_league(name):
            raise not_found("There is no league {name}.", name=name)
        return result({"dropped": name}, lazy_gettext("The league {name} is deleted.", name=name))
    catalog = context.services.registry.catalog
    game = game or next(iter(catalog.games), "")
    if game not in catalog.games:
        raise not_found("There is no game {name} here.", name=game)
    title = catalog.games[game].title
    if game not in catalog.judged:
        raise failure(
            "A league adds up how many points short turns were, and no bot judges the turns of {game}.",
            game=title,
        )
    begins, ends = date_of(first), date_of(last)
    if not await deals.new_league(name, game, first, last):
        raise failure("There is a league {name} already.", name=name)
    return result(
        {"league": name, "game": game, "days": last - first + 1, "first": begins, "last": ends},
        lazy_gettext(
            "The league {name} has the daily games of {game} from {first} to {last}. `ssh HOST league {name}` "
            "shows it.",
            name=name,
            game=title,
            first=begins,
            last=ends,
        ),
    )


@admin_command(
    "drain",
    *(MORE, FOR),
    forms=(
        (
            "drain [--for TIME]",
            N_("start no new games, and stop after the last running one or when that time is over"),
        ),
    ),
    details=(TIME_HELP,),
)
async def drain(context: AdminContext, time: int | None) -> AdminResult:
    """Stop the server after its games, at the latest in `time` seconds."""
    within = time or DEFAULT_DRAIN_SECONDS
    context.drainer.begin(within)
    n, latest = context.services.overview.plays(), format_moment(context.now() + within)
    sentence = (
        lazy_ngettext(
            "The server stops when {n} game is over, at {latest} UTC at the latest.",
            "The server stops when {n} games are over, at {latest} UTC at the latest.",
            n,
            latest=latest,
        )
        if n
        else lazy_gettext(
            "No games to wait for, so the server stops now. Games in progress resume when it's back."
        )
    )
    return result({"draining": True, "games": n, "latest": latest}, sentence)


@admin_command("undrain", forms=(("undrain", N_("stop draining; the server keeps running")),))
async def undrain(context: AdminContext) -> AdminResult:
    """Stop draining."""
    if not context.drainer.end():
        raise failure("The server isn't draining.")
    return result({"draining": False}, lazy_gettext("The server keeps running; new games can start."))


@admin_command("reload", forms=(("reload", N_("reload the settings")),))
async def reload_settings(context: AdminContext) -> AdminResult:
    """Read the settings again."""
    reread = context.reload()
    changed, late = ", ".join(reread.changed), ", ".join(reread.late)
    sentences = [
        lazy_gettext("Changed: {settings}.", settings=changed)
        if changed
        else lazy_gettext("Settings reloaded. Nothing changed.")
    ]
    if late:
        sentences.append(lazy_gettext("These need a restart: {settings}.", settings=late))
    return result({"changed": reread.changed, "late": reread.late}, *sentences)


@admin_command("health", forms=(("health", N_("show the server's health")),), audited=False)
async def show_health(context: AdminContext) -> AdminResult:
    """Show the server's health."""
    state = await context.health()
    facts = "".join(f"{name}: {value}\n" for name, value in state.facts.items())
    health = state.health
    return AdminResult(
        state, lambda translator: f"{health.words(translator)}\n{health.disk_space(translator)}\n{facts}"
    )
