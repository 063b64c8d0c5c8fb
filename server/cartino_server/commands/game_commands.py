"""Finished games over SSH: records and reviews, the results of dailies and duplicate matches, leagues."""

import asyncio
from typing import Final

import msgspec

from cartino_engine.replay import GameRecord, RecordError, read_record
from cartino_games.registry import installed
from cartino_protocol.base import game_name, parse_code, parse_game_name
from cartino_protocol.deals import Daily, Duplicate, League, LeagueView
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_server.commands.console import failure, not_found, refusal_error
from cartino_server.commands.context import CommandContext, answer_command, shell_reader
from cartino_server.commands.registry import JSON, MAX_TYPED, Argument, parse_game_or_table, parse_table_code
from cartino_server.lobby.finished.history import RecordRefused, game_replay
from cartino_server.lobby.finished.reviewing import moves_made, turn_view
from cartino_server.lobby.remote_tables import NoRecord, TooManyCodes, UnknownTable
from cartino_server.review.judging import Review
from cartino_server.table.bot_executor import BotFailed
from cartino_tui.game_port.turn_review import luck_said, turn_said
from cartino_tui.i18n import Translator
from cartino_tui.pages.deals import DEAL_PAGE, DUPLICATE_HELP, SECRECY_HELP
from cartino_tui.pages.leagues import LEAGUE_HELP, LEAGUE_PAGE
from cartino_tui.pages.page import pretty_json

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
