"""The words that lead to a server, for those who came by ssh and for those who came by our own command."""

from cartino_tui.visit.routes import ShellCommands

SSH = ShellCommands("ssh -t -p 2222 games.example.org")
CONNECT = ShellCommands("cartino connect games.example.org --port 2222", calls=True)


def test_by_ssh_the_words_stand_behind_the_host() -> None:
    assert SSH.join("K7QP") == "ssh -t -p 2222 games.example.org join K7QP"
    assert SSH.watch("K7QP") == "watch K7QP"
    assert str(SSH.describe_return("amber-otter")) == "ssh -t -p 2222 games.example.org back amber-otter"
    assert SSH.export("K7QP-1") == "ssh -p 2222 games.example.org export K7QP-1 > K7QP-1.jsonl"


def test_with_our_own_command_they_are_options_and_a_word_is_none() -> None:
    assert CONNECT.join("K7QP") == "cartino connect games.example.org --port 2222 --join K7QP"
    assert CONNECT.watch("K7QP") == "--watch K7QP"
    assert (
        str(CONNECT.describe_return("amber-otter"))
        == "cartino connect games.example.org --port 2222, then press b and type amber-otter"
    )
    assert CONNECT.export("K7QP-1") == "ssh HOST export K7QP-1 > K7QP-1.jsonl"


def test_without_any_there_is_still_something_to_say() -> None:
    assert ShellCommands().join("K7QP") == "join K7QP"
    assert ShellCommands().export("K7QP-1").startswith("ssh HOST export")
