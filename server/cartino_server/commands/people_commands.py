"""Commands over SSH about people: profiles, ratings, the caller's keys and account."""

from typing import Final

from cartino_games.registry import installed
from cartino_protocol.accounts import Account, AddKey, DeleteAccount, DropKey, KeyCode, Keys
from cartino_protocol.commands import Leaders, Profile
from cartino_protocol.refusals import Refusal
from cartino_protocol.text import N_
from cartino_server.commands.console import failure, misuse, refusal_error
from cartino_server.commands.context import CommandContext, answer_command
from cartino_server.commands.game_options import chosen_game
from cartino_server.commands.parser import CommandParser
from cartino_server.commands.registry import JSON, MAX_TYPED, Argument
from cartino_server.commands.visit_commands import BOT_ACCOUNT_HELP
from cartino_server.lobby.account import AccountQuery, KeyQuery
from cartino_server.lobby.people.names import mark_of, marked_name, usable_name
from cartino_server.visitors import BecomeBot
from cartino_tui.pages.account import ACCOUNT_PAGE, KEYS_PAGE
from cartino_tui.pages.people import LEADERS_PAGE, PROFILE_PAGE

_MAX_PLAYER: Final = 40
"""Characters of a player's name, with "bot" before it."""

PEOPLE_HELP: Final = N_(
    "A rating starts at 1000. Only people affect each other's ratings, in games played to the end at "
    "public tables; bots are rated separately, and guests have no rating. A game at a private table is in nobody's "
    "list but its players'; everybody who has its code can see it."
)

ACCOUNT_HELP: Final = N_(
    "`account delete --yes NAME` deletes your account permanently, where NAME is your name here: name, "
    "keys, profile, ratings, settings, muted players, invitations, your chat messages and your "
    'reports. Your finished games stay for the others who played them, with "deleted player" in your '
    "seat and the texts you added to a shuffle, and so do your results of daily games and duplicate "
    "matches. In running games, a substitute bot plays on for you. Bans stay, and so do reports about "
    "you that the host hasn't closed."
)

KEYS_HELP: Final = N_(
    "`code` makes a code of ten characters. Within ten minutes, connect with another key and run `keys "
    "add` with the code, once: from its next connection on, that key belongs to your account. What was "
    "played with it before stays under its own name.\n\n`drop` takes the beginning of a key as the "
    "list shows it, eight characters or more: the key no longer belongs to your account, and "
    "connections that use it are closed."
)


@answer_command(
    "profile",
    Argument("name", N_('the player, or "bot NAME"; by default yourself'), metavar="NAME", nargs="*"),
    Argument(
        "--against", N_("compare with that player; by default with yourself"), metavar="NAME", default=""
    ),
    JSON,
    forms=(("ssh HOST profile [NAME]", N_("print a player's profile; --against NAME compares two")),),
    details=(PEOPLE_HELP,),
)
async def profile(context: CommandContext, name: list[str], against: str, *, json: bool) -> str:
    """Print a player's profile compared with another one; without names, that of the caller."""
    asked = Profile(" ".join(name), against=against)
    if max(len(asked.name), len(against)) > _MAX_PLAYER:
        raise misuse("profile: a name has at most 16 characters.")
    await context.charge_query()
    people = context.services.queries.profiles
    found = await people.profile(context.person, _own_name(context), asked)
    return context.print(PROFILE_PAGE, found, json=json)


def _rated_game_option(parser: CommandParser, words: object) -> None:
    games, first = installed().rules, chosen_game(()).name
    parser.add_argument("--game", choices=games, default=first, help=parser.gettext("the game ({default})"))


@answer_command(
    "top",
    _rated_game_option,
    JSON,
    forms=(("ssh HOST top [--json]", N_("print the leaderboard")),),
    details=(PEOPLE_HELP,),
)
async def top(context: CommandContext, game: str, *, json: bool) -> str:
    """List the best players of `game`."""
    await context.charge_query()
    leaders = await context.services.queries.profiles.leaders(context.person.id, Leaders(game))
    return context.print(LEADERS_PAGE, leaders, json=json)


@answer_command(
    "keys",
    Argument(
        "act",
        N_("what to do ({default})"),
        nargs="?",
        choices=("list", "code", "add", "drop"),
        default="list",
    ),
    Argument("what", N_("the code, or the key to remove"), metavar="CODE", nargs="*"),
    JSON,
    about=N_("Your SSH keys, by which the server recognizes you."),
    forms=(("ssh HOST keys [ACT]", N_("your SSH keys: list, code, add CODE, drop KEY")),),
    details=(KEYS_HELP,),
)
async def keys(context: CommandContext, act: str, what: list[str], *, json: bool) -> str:
    """List or change the caller's keys."""
    typed = "".join(what)
    if (act in {"add", "drop"}) != bool(typed):
        raise misuse("keys: add needs a code, drop needs a key, and list and code need nothing else.")
    if len(typed) > MAX_TYPED:
        raise misuse("keys: that's longer than any code or key.")
    queries: dict[str, KeyQuery] = {
        "list": Keys(),
        "code": KeyCode(),
        "add": AddKey(typed),
        "drop": DropKey(typed),
    }
    _charge_change(context, queries[act])
    manager = context.services.account_data.keys
    listed = await manager.answer_key_query(context.person, queries[act], context.visitor.connection)
    return context.print(KEYS_PAGE, listed, json=json)


@answer_command(
    "account",
    Argument(
        "act", N_("what to do ({default})"), nargs="?", choices=("show", "delete", "bot"), default="show"
    ),
    Argument("--yes", N_("your name, to confirm"), metavar="NAME", nargs="+"),
    JSON,
    forms=(
        ("ssh HOST account [delete]", N_("see what is stored about you, or delete it all")),
        ("ssh HOST account bot", N_("make a new key a bot account, permanently")),
    ),
    details=(ACCOUNT_HELP, BOT_ACCOUNT_HELP),
)
async def account(context: CommandContext, act: str, yes: list[str] | None, *, json: bool) -> str:
    """Show or delete the caller's account, or make it a bot's."""
    asked = _account_query(act, yes)
    if isinstance(asked, BecomeBot) and context.is_admin:
        raise failure("An admin's key can't become a bot's. Create another key for it.")
    # BecomeBot counts as DeleteAccount does.
    _charge_change(context, DeleteAccount(asked.name) if isinstance(asked, BecomeBot) else asked)
    data, name = context.services.account_data, _own_name(context)
    found = await data.answer_account_query(context.person, name, asked, context.visitor.connection)
    return context.print(ACCOUNT_PAGE, found, json=json)


def _account_query(act: str, yes: list[str] | None) -> AccountQuery | BecomeBot:
    if act == "show":
        if yes is not None:
            raise misuse("account: --yes is only for delete and bot.")
        return Account()
    if yes is None:
        raise misuse(
            "account: this makes your key a bot's permanently. To confirm, run `account bot --yes NAME` with "
            "your name."
            if act == "bot"
            else "account: this deletes your account permanently. To confirm, run `account delete --yes NAME` with "
            "your name."
        )
    name = " ".join(yes)[:MAX_TYPED]
    return BecomeBot(name) if act == "bot" else DeleteAccount(name)


def _charge_change(context: CommandContext, asked: AccountQuery | KeyQuery) -> None:
    """Count a change of keys or account, as a link's is. Raises CommandError."""
    limits = context.services.rate_limits.limits_of(context.person.id, context.visitor.connection)
    too_fast = limits.refuses(asked)
    if too_fast is not None:
        raise refusal_error(Refusal(too_fast))


def _own_name(context: CommandContext) -> str:
    """Return the name that the caller has or would get."""
    visitor = context.visitor
    name = context.services.presence.people.known_name(visitor.person)
    return name or marked_name(usable_name(visitor.name), mark_of(visitor.person, visitor.guest))
