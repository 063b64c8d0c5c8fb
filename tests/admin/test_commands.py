"""What hosts may say, and what they mean by it."""

import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_protocol.notices import MAX_NOTICE_LENGTH
from cartino_server.admin.commands import (
    ADMIN,
    DEFAULT_DRAIN_SECONDS,
    MAX_NUMBER,
    AddBan,
    AdminCommand,
    Announce,
    CloseTables,
    Drain,
    Kick,
    ListReports,
    Mute,
    RemoveBan,
    SimpleCommand,
    Unmute,
    admin_help,
    parse_admin_command,
)
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HELP_WIDTH, HelpRequested
from cartino_tui.i18n import ENGLISH

NOW = 1_000_000.0


def read(words: str) -> tuple[AdminCommand, bool]:
    parsed = parse_admin_command(words.split(), NOW, ENGLISH)
    return parsed.command, parsed.json


@pytest.mark.parametrize(
    ("words", "verb"),
    [
        ("", SimpleCommand.HELP),
        ("--help", SimpleCommand.HELP),
        ("help", SimpleCommand.HELP),
        ("who", SimpleCommand.WHO),
        ("rooms", SimpleCommand.TABLES),
        ("bans", SimpleCommand.BANS),
        ("health", SimpleCommand.HEALTH),
        ("reload", SimpleCommand.RELOAD),
        ("undrain", SimpleCommand.UNDRAIN),
        ("close k7qp", CloseTables(("K7QP",), "")),
        ("close K7QP,abcd,K7QP", CloseTables(("K7QP", "ABCD"), "")),
        ("close K7QP, ABCD", CloseTables(("K7QP", "ABCD"), "")),
        ("close K7QP abcd --because spam, says Bo", CloseTables(("K7QP", "ABCD"), "spam, says Bo")),
        ("close --from 203.0.113.0/24", CloseTables((), "", "203.0.113.0/24")),
        ("close --from 1.2.3.4 --because cleaning up", CloseTables((), "cleaning up", "1.2.3.4")),
        ("close --unplayed --because a flood", CloseTables((), "a flood", unplayed=True)),
        ("say good  evening", Announce("good evening")),
        ("kick Ann", Kick("Ann", "")),
        ("kick 17 --because he swore", Kick("17", "he swore")),
        ("kick -- help", Kick("help", "")),
        ("kick help --because spam", Kick("help", "spam")),
        ("say -- help", Announce("help")),
        ("say help is near", Announce("help is near")),
        ("mute Ann", Mute("Ann", None, "")),
        ("mute Ann --because spam", Mute("Ann", None, "spam")),
        ("mute Ann --because too  loud --for 2h", Mute("Ann", 1_007_200, "too loud")),
        ("unmute Ann", Unmute("Ann")),
        ("ban key SHA256:abc", AddBan("key", "SHA256:abc", None, "")),
        (
            "ban source 192.0.2.0/24 --for 1m --because spam",
            AddBan("source", "192.0.2.0/24", 1_000_060, "spam"),
        ),
        ("ban name --for=1m Bad", AddBan("name", "Bad", 1_000_060, "")),
        ("ban key -- help", AddBan("key", "help", None, "")),
        ("unban 3", RemoveBan(3)),
        (f"unban {10**30}", RemoveBan(MAX_NUMBER)),
        ("reports", ListReports()),
        ("reports --done 4", ListReports(4)),
        (f"reports --done {10**30}", ListReports(MAX_NUMBER)),
        ("drain", Drain(DEFAULT_DRAIN_SECONDS)),
        ("drain --for 10m", Drain(600)),
    ],
)
def test_a_verb(words: str, verb: AdminCommand) -> None:
    assert read(words) == (verb, False)


@pytest.mark.parametrize(
    "words", ["who --json", "close --json K7QP", "say --json hi", "kick Ann --json", "drain --json"]
)
def test_for_programs(words: str) -> None:
    assert read(words)[1] is True


@pytest.mark.parametrize(
    "words",
    [
        "nonsense",
        "WHO",
        "who else",
        "close",
        "close K7",
        "close K7QP,K7",
        "close --unplayed K7QP",
        "close --from 203.0.113.7 spam",
        "say",
        "say \x1b[2J",
        f"say {'x' * (MAX_NOTICE_LENGTH + 1)}",
        "kick",
        "kick Ann --for 2h",
        "kick Ann --because",
        "mute Ann --for",
        "mute Ann --for=",
        "mute Ann --for 1hor",
        "ban name Ann --for ever",
        "mute Ann --for 2h --because \u202e",
        "unmute",
        "ban",
        "ban key",
        "ban Ann",
        "ban Ann 2h",
        "ban person Ann",
        "unban",
        "unban three",
        "unban -- -x",
        "reports --done x",
        "drain --for good",
        "drain --for 2h --because spam",
        "help nonsense",
        "\x1b]0;x\x07",
    ],
)
def test_what_is_wrong_is_one_sentence_without_anything_a_terminal_obeys(words: str) -> None:
    with pytest.raises(CommandError) as raised:
        read(words)
    assert raised.value.code == MISUSE
    assert str(raised.value).isprintable()


def test_what_is_missing_is_named_and_what_may_be_missing_is_not() -> None:
    with pytest.raises(
        CommandError, match=r"^kick: the following arguments are required: WHO; see `admin help kick`\.$"
    ):
        read("kick")


def test_each_verb_has_its_help() -> None:
    for typed, _ in ADMIN.forms():
        verb = typed.split()[0]
        if verb == "help":
            continue
        for words in (f"{verb} --help", f"{verb} help", f"help {verb}"):
            with pytest.raises(HelpRequested) as asked:
                read(words)
            assert f"admin {verb}" in asked.value.text
    for words in ("ban key help", "ban source help", "ban name help", "help ban key"):
        with pytest.raises(HelpRequested):
            read(words)
    assert read("help help") == (SimpleCommand.HELP, False)


def help_of(verb: str) -> str:
    with pytest.raises(HelpRequested) as asked:
        read(f"help {verb}")
    return asked.value.text


def test_the_help_of_a_verb_is_about_what_can_stand_behind_it() -> None:
    ban, mute = help_of("ban"), help_of("mute")
    for form in ("ban key WHO", "ban source WHERE", "ban name NAME"):
        assert f" admin {form} [--for TIME] [--because TEXT]\n" in ban
    assert " admin mute WHO [--for TIME] [--because TEXT]\n" in mute
    for word in ("WHO is", "TIME is", "TEXT is", "report:3"):
        assert word in ban
        assert word in mute
    assert "WHERE is" in ban
    assert "WHERE is" not in mute
    for verb in ("who", "rooms", "bans", "unban", "reports", "undrain", "reload", "health", "say", "drain"):
        for word in ("WHO is", "TEXT is", "because"):
            assert word not in help_of(verb), verb
    assert "TIME is like 30m" in help_of("drain")
    for typed, _ in ADMIN.forms():
        if typed.split()[0] != "help":
            assert max(map(len, help_of(typed.split()[0]).splitlines())) <= HELP_WIDTH


@pytest.mark.parametrize(
    "words",
    [
        "close K7QP because it is late",
        "close K7QP too loud",
        "close --unplayed a flood",
        "kick Ann for 2h",
        "kick Ann because she swore",
        "mute Ann 2h because spam",
        "mute Ann until 2026-01-31",
        "ban key Ann for good",
        "ban name Bad spam",
        "drain for 10m",
        "drain now",
    ],
)
def test_a_time_or_a_reason_without_its_option_is_told_the_option(words: str) -> None:
    with pytest.raises(
        CommandError,
        match=r"^\w+: unexpected '\w+'; write a time as `--for 2h` and a reason as `--because TEXT`",
    ):
        read(words)


def test_the_help_fits() -> None:
    told = admin_help("cartino admin", ENGLISH)
    assert told.startswith("cartino admin:\nwho ")
    assert max(map(len, told.splitlines())) <= HELP_WIDTH


@pytest.mark.parametrize("words", ["ban Ann", "ban Ann --for 2h", "ban person Ann"])
def test_what_can_be_banned_is_listed(words: str) -> None:
    with pytest.raises(
        CommandError, match=r"^ban: argument KIND: .*key.*source.*name.*; see `admin help ban`"
    ):
        read(words)
