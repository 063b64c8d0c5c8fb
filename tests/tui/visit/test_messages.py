"""What the host says is seen on whatever screen is in front, whole at every size, until somebody types."""

import pytest

from cartino_protocol.notices import HOST_MARK, MAX_NOTICE_LENGTH, Announced, Expulsion, expulsion_message
from cartino_protocol.views import Bye, Left
from cartino_server.lobby.people.names import clean_name
from cartino_server.table.chat import clean_text
from cartino_tui.i18n import ENGLISH
from cartino_tui.plain.phrases import printable_line
from cartino_tui.plain.shell import TableFollower
from cartino_tui.preferences import Preferences
from cartino_tui.visit.events import StartTimer, TimeUp
from cartino_tui.visit.farewell import server_farewell
from cartino_tui.visit.messages import NOTICE_SECONDS, left_message, notice_line
from cartino_tui.visit.routes import ShellCommands
from cartino_tui.visit.state import ClientState
from cartino_tui.visit.visit import Visit
from tests.support.plain import Talk
from tests.support.visit_script import visits

SAID = Announced("says", "we close at ten")
UNTIL = "2026-01-31 12:00"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (Announced("says", "we close at ten"), "The host says: we close at ten"),
        (Announced("ends"), "The server stops when the running games are over; no new ones can start."),
        (Announced("reason", "spam"), "The host's reason: spam"),
        (
            Announced("guest", "RSA, SHA-1"),
            "You're a guest: your key can't be used here (RSA, SHA-1). Use an Ed25519 key.",
        ),
        (Announced("muted"), "The host muted you: others don't see your messages."),
        (Announced("muted", "spam"), "The host muted you: spam"),
        (Announced("muted", until=UNTIL), "The host muted you until 2026-01-31 12:00 UTC."),
        (Announced("muted", "spam", UNTIL), "The host muted you until 2026-01-31 12:00 UTC: spam"),
    ],
)
def test_it_is_one_sentence(said: Announced, told: str) -> None:
    assert str(said.words()) == told


@pytest.mark.parametrize("why", ["kicked", "banned", "banned-name", "banned-source"])
def test_who_has_to_go_reads_why_and_until_when(why: Expulsion) -> None:
    last = server_farewell(Bye(why, "spam", UNTIL), ClientState(), ShellCommands())
    assert last.code == 3
    assert last.sentence == expulsion_message(why, "spam", UNTIL)
    assert str(last.sentence).endswith(": spam")
    assert (UNTIL in str(last.sentence)) is (why != "kicked")
    assert str(expulsion_message(why)).endswith(".")


def test_who_makes_room_in_a_full_server_reads_that_it_is_full() -> None:
    last = server_farewell(Bye("full"), ClientState(), ShellCommands())
    assert (last.code, str(last.sentence)[:19]) == (3, "The server is full,")


def test_a_server_far_away_sends_nothing_that_a_terminal_obeys() -> None:
    wild = "a\x1b[2J\u202eb"
    assert str(server_farewell(Bye("kicked", wild), ClientState(), ShellCommands()).sentence).endswith(
        ": a[2Jb"
    )
    assert notice_line(Announced("says", wild, wild), ENGLISH) == "*** The host says: a[2Jb"
    assert str(left_message(Left("host", "K7QP", wild))) == "The host closed that table: a[2Jb"
    assert str(left_message(Left("host", "K7QP"))) == "The host closed that table."


def test_it_goes_after_a_while_unless_something_newer_was_said() -> None:
    here = Visit(None, Preferences(), ShellCommands(), "test")
    for text in ("one", "two"):
        assert StartTimer("notice", NOTICE_SECONDS) in here.handle(Announced("says", text))
    assert here.notices.format_unread_notice(ENGLISH) == "*** The host says: two"
    here.handle(TimeUp("notice"))
    assert here.notices.format_unread_notice(ENGLISH) == ""


test_visits = visits(__file__)


@pytest.mark.parametrize(
    "text", ["*** The host says: go", "*" * 300, "＊＊＊ The host", "a ★★★★ b", "⁎*\u200b∗ b"]
)
@pytest.mark.parametrize("ascii", [False, True])
def test_nobody_else_says_anything_with_its_mark(text: str, ascii: bool) -> None:
    said = clean_text(text, MAX_NOTICE_LENGTH)
    assert said is not None
    assert HOST_MARK not in printable_line(said, ascii=ascii)
    assert HOST_MARK in notice_line(SAID, ENGLISH)
    assert clean_name(f"{HOST_MARK} ann") is None


def test_in_lines_it_is_a_sentence_and_among_objects_for_programs_nothing() -> None:
    assert Talk(Left("host", "K7QP")).hears(SAID) == ["*** The host says: we close at ten"]
    for json, told in ((False, ["*** The host says: we close at ten"]), (True, [])):
        follower = TableFollower(lambda _: None, Preferences(), {}, "K7QP", json=json)
        follower.handle(SAID)
        assert follower.take_lines() == told
