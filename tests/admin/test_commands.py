"""What hosts may say, and what they mean by it."""

import pytest

from cartino_protocol.exit_status import MISUSE
from cartino_protocol.notices import MAX_NOTICE_LENGTH
from cartino_server.admin.commands import (
    ADMIN,
    DEFAULT_DRAIN_SECONDS,
    MAX_NUMBER,
    admin_help,
    parse_admin_command,
)
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HELP_WIDTH, HelpRequested
from cartino_tui.i18n import ENGLISH

NOW = 1_000_000.0


def read(words: str) -> tuple[str, dict[str, object], bool]:
    """The name of the action, its arguments, and whether the reply is JSON."""
    parsed = parse_admin_command(words.split(), NOW, ENGLISH)
    return parsed.command.run.__name__, parsed.command.arguments, parsed.json


def close(
    *codes: str, reason: str = "", source: str = "", unplayed: bool = False
) -> tuple[str, dict[str, object]]:
    return "close", {"codes": codes, "reason": reason, "source": source, "unplayed": unplayed}


def kick(who: str, reason: str = "") -> tuple[str, dict[str, object]]:
    return "kick", {"who": who, "reason": reason}


def mute(who: str, until: int | None = None, reason: str = "") -> tuple[str, dict[str, object]]:
    return "mute", {"who": who, "until": until, "reason": reason}


def ban(kind: str, what: str, until: int | None = None, reason: str = "") -> tuple[str, dict[str, object]]:
    return "ban", {"kind": kind, "what": what, "until": until, "reason": reason}


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("who", ("list_connections", {})),
        ("tables", ("list_tables", {})),
        ("rooms", ("list_tables", {})),
        ("bans", ("list_bans", {})),
        ("health", ("show_health", {})),
        ("reload", ("reload_settings", {})),
        ("undrain", ("undrain", {})),
        ("close k7qp", close("K7QP")),
        ("close K7QP,abcd,K7QP", close("K7QP", "ABCD")),
        ("close K7QP, ABCD", close("K7QP", "ABCD")),
        ("close K7QP abcd --because spam, says Bo", close("K7QP", "ABCD", reason="spam, says Bo")),
        ("close --from 203.0.113.0/24", close(source="203.0.113.0/24")),
        ("close --from 1.2.3.4 --because cleaning up", close(reason="cleaning up", source="1.2.3.4")),
        ("close --unplayed --because a flood", close(reason="a flood", unplayed=True)),
        ("say good  evening", ("announce", {"text": "good evening"})),
        ("kick Ann", kick("Ann")),
        ("kick 17 --because he swore", kick("17", "he swore")),
        ("kick -- help", kick("help")),
        ("kick help --because spam", kick("help", "spam")),
        ("say -- help", ("announce", {"text": "help"})),
        ("say help is near", ("announce", {"text": "help is near"})),
        ("mute Ann", mute("Ann")),
        ("mute Ann --because spam", mute("Ann", reason="spam")),
        ("mute Ann --because too  loud --for 2h", mute("Ann", 1_007_200, "too loud")),
        ("unmute Ann", ("unmute", {"who": "Ann"})),
        ("ban key SHA256:abc", ban("key", "SHA256:abc")),
        (
            "ban source 192.0.2.0/24 --for 1m --because spam",
            ban("source", "192.0.2.0/24", 1_000_060, "spam"),
        ),
        ("ban name --for=1m Bad", ban("name", "Bad", 1_000_060)),
        ("ban key -- help", ban("key", "help")),
        ("unban 3", ("unban", {"number": 3})),
        (f"unban {10**30}", ("unban", {"number": MAX_NUMBER})),
        ("reports", ("reports", {"done": 0})),
        ("reports --done 4", ("reports", {"done": 4})),
        (f"reports --done {10**30}", ("reports", {"done": MAX_NUMBER})),
        ("drain", ("drain", {"within": DEFAULT_DRAIN_SECONDS})),
        ("drain --for 10m", ("drain", {"within": 600})),
    ],
)
def test_a_verb(words: str, action: tuple[str, dict[str, object]]) -> None:
    assert read(words) == (*action, False)


@pytest.mark.parametrize("words", ["", "--help", "help", "help help"])
def test_help_lists_the_verbs(words: str) -> None:
    with pytest.raises(HelpRequested) as asked:
        read(words)
    assert asked.value.text == admin_help("admin", ENGLISH)


@pytest.mark.parametrize(
    "words", ["who --json", "close --json K7QP", "say --json hi", "kick Ann --json", "drain --json"]
)
def test_for_programs(words: str) -> None:
    assert read(words)[-1] is True


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
    for verb in ("who", "tables", "bans", "unban", "reports", "undrain", "reload", "health", "say", "drain"):
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
