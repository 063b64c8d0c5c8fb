"""Admin commands about people: list, kick, mute and ban them, and read reports about them."""

from functools import partial
from typing import Final, Literal

from cartino_protocol.notices import Announced
from cartino_protocol.text import N_, LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.admin import listings
from cartino_server.admin.context import (
    BECAUSE,
    FOR,
    MORE,
    NAME_HELP,
    REASON_HELP,
    TIME_HELP,
    WHERE_HELP,
    WHO,
    WHO_HELP,
    AdminContext,
    AdminResult,
    admin_command,
    parse_number,
    result,
)
from cartino_server.admin.lookup import PersonMatch, report_not_found
from cartino_server.commands.console import CommandError, failure, misuse, not_found
from cartino_server.commands.registry import Argument
from cartino_server.lobby.people.names import GUEST, LONGEST, looks
from cartino_server.networks import Network, in_network
from cartino_server.operations.login import Removal
from cartino_server.store.moderation import Ban, BanKind, TooManyBans, close_report, list_reports
from cartino_server.table.chat import clean_text

WIDEST_BANS: Final = {4: 8, 6: 16}
"""The shortest prefix of a network that can be banned, by IP version."""
GUEST_BAN_HINT: Final = N_(
    "{name} is a guest, without a key and with a new identity each time. Ban their address instead "
    "({networks})."
)
GUEST_BAN_HINT_UNKNOWN: Final = N_(
    "{name} is a guest, without a key and with a new identity each time. Ban their address instead."
)
MUTED: Final = N_("{name} is muted permanently."), N_("{name} is muted until {until} UTC.")
BANNED: Final = N_("{name} is banned permanently."), N_("{name} is banned until {until} UTC.")


@admin_command(
    "who",
    forms=(("who", N_("list connections with their numbers; with --json, also their keys")),),
    audited=False,
)
async def who(context: AdminContext) -> AdminResult:
    """List connections."""
    services = context.services
    rows = tuple(
        listings.connection_rows(
            services.connections, services.overview.list_online(), services.moderation.is_muted
        )
    )
    return AdminResult(listings.records(listings.CONNECTIONS, rows), partial(listings.connections_text, rows))


@admin_command(
    "kick",
    *(WHO, MORE, BECAUSE),
    forms=(("kick WHO [--because TEXT]", N_("disconnect a person, or one connection; they can come back")),),
    details=(WHO_HELP, REASON_HELP),
)
async def kick(context: AdminContext, who: str, reason: str) -> AdminResult:
    """Disconnect `who`."""
    found = await context.lookup.find(who)
    if not found.connections:
        raise failure("{name} isn't connected.", name=found.called)
    context.authenticator.send_away(found.connections, Removal("kicked", reason))
    n = len(found.connections)
    return result(
        {"ended": n},
        lazy_ngettext(
            "{name} was disconnected ({n} connection).",
            "{name} was disconnected ({n} connections).",
            n,
            name=found.called,
        ),
    )


@admin_command(
    "mute",
    *(WHO, MORE, FOR, BECAUSE),
    forms=(("mute WHO [--for TIME] [--because TEXT]", N_("hide what a person says from everyone")),),
    details=(WHO_HELP, TIME_HELP, REASON_HELP),
)
async def mute(context: AdminContext, who: str, time: int | None, reason: str) -> AdminResult:
    """Mute `who` for `time` seconds, None for ever."""
    found = await context.lookup.find(who)
    # Guests get a new id at each visit, and a new key is made in a moment; their network stays.
    networks = context.lookup.networks_of(found)
    ban = await _add_ban(context, "voice", "\n".join((found.person, *networks)), found.name, time, reason)
    context.services.moderation.announce(Announced("muted", ban.reason, ban.ends), [found.person])
    sentences = [_until_message(MUTED, ban, found.called)]
    if networks:
        sentences.append(
            lazy_gettext(
                "So is everyone from {networks} who has no key or finished no game before today.",
                networks=", ".join(networks),
            )
        )
    return result({**_ban_data(ban), "networks": networks}, *sentences)


@admin_command("unmute", WHO, forms=(("unmute WHO", N_("unmute a person")),), details=(WHO_HELP,))
async def unmute(context: AdminContext, who: str) -> AdminResult:
    """Unmute `who`."""
    found = await context.lookup.find(who)
    networks = context.lookup.networks_of(found)
    lifted = None
    while (ban := context.services.moderation.mute_from(found.person, networks)) is not None:
        lifted = await _lift_ban(context, ban.id)
    if lifted is None:
        raise failure("{name} isn't muted.", name=found.called)
    return result(_ban_data(lifted), lazy_gettext("{name} is no longer muted.", name=found.called))


@admin_command(
    "ban",
    Argument("kind", None, metavar="KIND", choices=("key", "source", "name")),
    Argument("what", None, metavar="WHAT"),
    *(MORE, FOR, BECAUSE),
    forms=(
        ("ban key WHO [--for TIME] [--because TEXT]", N_("ban a person, with all their keys")),
        ("ban source WHERE [--for TIME] [--because TEXT]", N_("ban everyone from an address or a network")),
        ("ban name NAME [--for TIME] [--because TEXT]", N_("ban a name, and all that look like it")),
    ),
    details=(WHO_HELP, WHERE_HELP, NAME_HELP, TIME_HELP, REASON_HELP),
)
async def ban(
    context: AdminContext,
    kind: Literal["key", "source", "name"],
    what: str,
    time: int | None,
    reason: str,
) -> AdminResult:
    """Ban `what` for `time` seconds, None for ever."""
    added = await _add_ban(context, *await _what_to_ban(context, kind, what), time, reason)
    ended = context.authenticator.apply_bans()
    context.services.moderation.take_banned_names()
    return result(
        {**_ban_data(added), "ended": ended},
        _until_message(BANNED, added, added.name or added.what),
        lazy_ngettext("{n} connection was closed.", "{n} connections were closed.", ended),
    )


async def _what_to_ban(context: AdminContext, kind: str, what: str) -> tuple[BanKind, str, str]:
    """Return the kind of ban, what it matches, and the name shown. Raises CommandError."""
    match kind:
        case "key":
            found = await _person_to_ban(context, what)
            return "person", found.person, found.name
        case "source":
            network = await context.lookup.network_of(what)
            _check_network(context, network)
            return "source", str(network), str(network)
        case _:
            name = (clean_text(await context.lookup.name_of(what), LONGEST) or "").removeprefix(GUEST)
            if not name:
                raise misuse("A name has 2 to {n} characters.", n=LONGEST)
            return "name", "\n".join(sorted(looks(name))), name


def _check_network(context: AdminContext, network: Network) -> None:
    """Raise CommandError for a network that is too wide or has an admin in it."""
    if network.prefixlen < WIDEST_BANS[network.version]:
        raise misuse(
            "{network} is too large for one ban. The largest allowed is /{v4}, or /{v6} for IPv6.",
            network=str(network),
            v4=WIDEST_BANS[4],
            v6=WIDEST_BANS[6],
        )
    connections = context.services.connections
    for each in connections:
        if each.key in connections.admins and in_network(each.source, network):
            raise failure(
                "Not banned: an admin is connected from there ({number}) and would be locked out.",
                number=each.connection,
            )


async def _person_to_ban(context: AdminContext, who: str) -> PersonMatch:
    found = await context.lookup.find(who)
    if found.is_guest:
        networks = ", ".join(context.lookup.networks_of(found))
        places = {"name": found.called, "networks": networks}
        raise CommandError(LazyMessage(GUEST_BAN_HINT if networks else GUEST_BAN_HINT_UNKNOWN, places))
    keys = await context.keys.keys_of(found.person)
    if any(key.fingerprint in context.services.connections.admins for key in keys):
        raise failure(
            "{name} is an admin. Remove their key from the admins setting first.", name=found.called
        )
    return found


@admin_command("bans", forms=(("bans", N_("list bans with their numbers")),), audited=False)
async def bans(context: AdminContext) -> AdminResult:
    """List bans and mutes."""
    found = context.bans.all()
    return AdminResult(listings.records(listings.BANS, found), partial(listings.bans_text, found))


@admin_command(
    "unban",
    Argument("number", None, metavar="NUMBER", type=parse_number),
    forms=(("unban NUMBER", N_("lift that ban")),),
)
async def unban(context: AdminContext, number: int) -> AdminResult:
    """End the ban of that number."""
    ban = await _lift_ban(context, number)
    name = ban.name or ban.what
    if ban.kind == "voice":
        return result(_ban_data(ban), lazy_gettext("{name} is no longer muted.", name=name))
    return result(_ban_data(ban), lazy_gettext("{name} is no longer banned.", name=name))


@admin_command(
    "reports",
    Argument(
        "--done", N_("close the report with that number"), metavar="NUMBER", type=parse_number, default=0
    ),
    forms=(
        ("reports", N_("list reported messages and who wrote them")),
        ("reports --done NUMBER", N_("close a report and delete it")),
    ),
)
async def reports(context: AdminContext, done: int) -> AdminResult:
    """List the reports, or remove report `done` if it isn't 0."""
    if done:
        if not await context.people.do(partial(close_report, number=done)):
            raise report_not_found(done)
        return result({"done": done}, lazy_gettext("Report {number} is closed and deleted.", number=done))
    found = await context.people.do(list_reports)
    return AdminResult(listings.reports_data(found), partial(listings.reports_text, found))


async def _add_ban(
    context: AdminContext, kind: BanKind, what: str, name: str, time: int | None, reason: str
) -> Ban:
    try:
        return await context.bans.add(kind, what, context.until(time), reason, context.by, name)
    except TooManyBans:
        raise failure("There are too many bans. Remove some first.") from None


async def _lift_ban(context: AdminContext, number: int) -> Ban:
    ban = await context.bans.lift(number)
    if ban is None:
        raise not_found("There is no ban {number}. `admin bans` lists them.", number=number)
    if ban.kind == "voice":
        context.services.moderation.announce(Announced("heard"), ban.what.split("\n"))
    return ban


def _until_message(texts: tuple[str, str], ban: Ban, name: str) -> LazyMessage:
    """Return the first of `texts` for a permanent ban, else the second."""
    return LazyMessage(texts[bool(ban.ends)], {"name": name, "until": ban.ends})


def _ban_data(ban: Ban) -> dict[str, object]:
    return {"number": ban.id, "kind": listings.BAN_KIND_NAMES[ban.kind], "until": ban.until}
