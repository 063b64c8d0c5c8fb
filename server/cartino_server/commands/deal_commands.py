"""Dailies, duplicate matches and leagues over SSH: play today's, or show results."""

from cartino_protocol.deals import Daily, Duplicate, League, LeagueView
from cartino_protocol.text import N_
from cartino_server.commands.arguments import MAX_TYPED, parse_table_code
from cartino_server.commands.context import CommandContext, answer_command
from cartino_server.commands.registry import JSON, Argument
from cartino_tui.pages.deals import DEAL_PAGE, DUPLICATE_HELP, SECRECY_HELP
from cartino_tui.pages.leagues import LEAGUE_HELP, LEAGUE_PAGE


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
