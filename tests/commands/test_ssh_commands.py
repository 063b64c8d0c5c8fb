"""Words behind `ssh host`: what they lead to, and a sentence for each way of getting them wrong."""

import pytest

from cartino_protocol.base import ABSENCES, CLOCKS
from cartino_protocol.commands import Back, Create, Join, Replay, Watch
from cartino_protocol.exit_status import MISUSE
from cartino_server.commands.console import CommandError
from cartino_server.commands.parser import HelpRequested
from cartino_server.commands.ssh_commands import help_text, parse_ssh_command
from cartino_server.commands.visit_commands import TERMINAL_COMMANDS, FollowTable, PlainMode, SshCommand
from cartino_server.ssh.ports import split_command
from cartino_tui.visit.routes import ToLesson
from tests.support.cartino import all_options
from tests.support.games import BOTS, GAMES
from tests.support.ssh_words import answer, arguments_of


@pytest.mark.parametrize("word", ["help", "HELP", "?", "/help", "/?", "-h", "--help"])
async def test_help_has_many_names(word: str) -> None:
    assert (await answer(word)).stdout == help_text()


@pytest.mark.parametrize(
    "command",
    [
        "mosh-server new -s -c 256",
        "/usr/bin/mosh-server new",
        "LANG=en_GB.UTF-8 mosh-server new",
        "env X=1 /opt/mosh-server new",
        """sh -c '[ -n "$SSH_CONNECTION" ] && printf "MOSH %s" "$SSH_CONNECTION" ; exec mosh-server new -s'""",
    ],
)
def test_mosh_is_known_by_what_it_runs(command: str) -> None:
    with pytest.raises(CommandError, match="mosh can't start here"):
        parse_ssh_command(split_command(command))


def test_people_may_talk_about_mosh() -> None:
    assert arguments_of("chat K7QP why no mosh-server here")["text"] == ["why", "no", "mosh-server", "here"]


@pytest.mark.parametrize(
    ("words", "verb"),
    [
        ("join K7QP", Join("K7QP")),
        ("join k7-qp", Join("K7QP")),
        ("watch K7QP", Watch("K7QP")),
        ("new", Create("cartino", all_options("1974"), 2, (), open=True)),
        (
            "new --game cartino --edition 1969 --seats 3 --bots 1",
            Create("cartino", all_options("1969"), 3, ("greedy",), open=True),
        ),
        (
            "new --bots 1 --bot random --private",
            Create("cartino", all_options("1974"), 2, ("random",), open=False),
        ),
        (
            "new --private --hints",
            Create("cartino", all_options("1974"), 2, (), open=False, hints=True),
        ),
        (
            "new --clock day --absence never",
            Create("cartino", all_options("1974"), 2, (), open=True, clock="day", absence="never"),
        ),
        (
            "new --duplicate --seats 3 --bot random",
            Create("cartino", all_options("1974"), 3, ("random", "random"), open=False, duplicate=True),
        ),
        ("back quiet-otter-7", Back("quiet-otter-7")),
        ("plain", PlainMode()),
        ("learn", ToLesson()),
        ("learn cartino", ToLesson("cartino")),
        ("plain learn", PlainMode(ToLesson())),
        ("replay k7qp-12@34", Replay("k7qp-12@34")),
        ("plain replay K7QP-12", PlainMode(Replay("K7QP-12"))),
        ("plain watch K7QP", PlainMode(Watch("K7QP"))),
        ("plain back quiet-otter-7", PlainMode(Back("quiet-otter-7"))),
        ("watch K7QP --lines", FollowTable("K7QP", json=False)),
        ("watch --json --lines k7qp", FollowTable("K7QP", json=True)),
    ],
)
def test_words_are_read(words: str, verb: SshCommand) -> None:
    assert parse_ssh_command(words.split()) == verb


LISTED = {
    "json": False,
    "finished": False,
    "mine": False,
    "player": "",
    "bots": False,
    "before": None,
}


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("take k7-qp", {"code": "K7QP", "json": False}),
        ("games", LISTED),
        ("games --mine --json", {**LISTED, "mine": True, "json": True}),
        (
            "games --finished --mine --player bob --before k7qp-12",
            {**LISTED, "finished": True, "mine": True, "player": "bob", "before": ("K7QP", 12)},
        ),
        ("show K7QP --json", {"code": "K7QP", "json": True}),
        (
            "move K7QP KSu *QSl end",
            {"code": "K7QP", "moves": ["KSu", "*QSl", "end"], "number": None, "json": False},
        ),
        ("chat K7QP good game", {"code": "K7QP", "text": ["good", "game"], "json": False}),
        ("export k7-qp", {"name": "K7QP"}),
        ("export k7qp-12", {"name": "K7QP-12"}),
        ("review K7QP --json", {"name": "K7QP", "json": True}),
        ("profile", {"name": [], "against": "", "json": False}),
        (
            "profile bot greedy --against Bob",
            {"name": ["bot", "greedy"], "against": "Bob", "json": False},
        ),
        ("top --json", {"game": "cartino", "json": True}),
        ("help", {"verb": None}),
    ],
)
def test_words_are_arguments(words: str, arguments: dict[str, object]) -> None:
    assert arguments_of(words) == arguments


@pytest.mark.parametrize(
    "words",
    [
        "dance",
        "replay",
        "replay K7QP",
        "replay K7QP-12@x",
        "x" * 5000,
        "join",
        "join K7Q",
        "join K7QP more",
        "new --edition 1970",
        "new --seats 1",
        "new --seats 5",
        "new --seats two",
        "new --bots 2",
        "new --bots -1",
        "new --bot chess",
        "new --bogus",
        "new --clock 45s",
        "new --hints",
        "new --absence 1h",
        "back",
        "back \x07",
        "back " + "x" * 65,
        "games --yaml",
        "plain dance",
        "plain join",
        "plain games",
        "watch K7QP --json",
        "show",
        "show K7QPX",
        "move K7QP",
        "move K7QP " + "end " * 33,
        "chat K7QP",
        "games --player bob",
        "games --before K7QP-12",
        "games --finished --before K7QP",
        "games --finished --before K7QP-\u0663",
        "export",
        "export \x1b[2J",
        "export K7QP-1234567890123456",
        f"profile {'a' * 41}",
        f"profile --against {'a' * 41}",
        "top --game chess",
        "help me",
        "help join me",
        "games \x1b[2J",
        "games " + "x" * 9000,
    ],
)
async def test_wrong_words_are_one_short_sentence(words: str) -> None:
    reply = await answer(words)
    sentence = reply.stderr.removesuffix("\n")
    assert (reply.status, reply.stdout) == (MISUSE, "")
    assert sentence.isprintable(), "what was typed comes back without its control characters, in one line"
    assert len(sentence) < 250
    assert sentence.endswith(".")


def test_each_verb_helps_in_two_ways() -> None:
    with pytest.raises(HelpRequested, match="--edition"):
        parse_ssh_command(["new", "--help"])
    with pytest.raises(HelpRequested, match="--clock"):
        parse_ssh_command(["help", "new"])
    for verb in ("join", "watch", "new", "back", "games", "export", "help"):
        with pytest.raises(HelpRequested) as by_option:
            parse_ssh_command([verb, "--help"])
        with pytest.raises(HelpRequested) as by_verb:
            parse_ssh_command(["help", verb])
        assert by_option.value.text == by_verb.value.text


def test_help_says_what_each_is_for_and_where_to_type_it() -> None:
    texts = {verb: help_on(verb) for verb in ("join", "watch", "new", "back", "games", "export")}
    for verb, text in texts.items():
        assert text.startswith(f"usage: ssh {'-t ' if verb in TERMINAL_COMMANDS else ''}HOST {verb} ")
    assert "and take a seat" in texts["join"]
    assert "and watch" in texts["watch"]
    first = next(iter(GAMES))
    assert all(bot in texts["new"] for game, bot in BOTS if game == first)
    assert all(mark in " ".join(texts["games"].split()) for mark in ("(to move)", "(won)"))


def help_on(verb: str) -> str:
    with pytest.raises(HelpRequested) as asked:
        parse_ssh_command(["help", verb])
    return asked.value.text


@pytest.mark.parametrize("words", ["new --bogus", "games --xml", "back", "join", "new --seats two"])
def test_errors_point_at_help_that_can_be_typed(words: str) -> None:
    verb = words.split(maxsplit=1)[0]
    with pytest.raises(CommandError, match=rf"^{verb}: .*; see `ssh HOST help {verb}`\.$"):
        parse_ssh_command(words.split())


def test_what_is_no_number_is_said_in_words() -> None:
    with pytest.raises(CommandError, match=r"^new: argument --seats: 'two' isn't a whole number;"):
        parse_ssh_command(["new", "--seats", "two"])


def test_what_is_read_is_what_the_protocol_knows() -> None:
    for clock in CLOCKS:
        assert parse_ssh_command(["new", "--clock", clock]) == Create(
            "cartino", all_options("1974"), 2, (), open=True, clock=clock
        )
    for absence in ABSENCES:
        assert parse_ssh_command(["new", "--absence", absence]) == Create(
            "cartino", all_options("1974"), 2, (), open=True, absence=absence
        )
