from cartino_protocol.views import ChatLine, ChatView
from cartino_tui.screens.talk import NEWEST_SAID, Heard, said


def chat(*texts: str) -> ChatView:
    lines = (ChatLine(number, "Ann", text, "table") for number, text in enumerate(texts, 1))
    return ChatView(tuple(lines), "table")


def test_every_line_is_said_with_its_name_and_made_safe() -> None:
    assert said(None) == ()
    assert said(chat("hi\x1b[2J", "there")) == (("Ann", "hi[2J"), ("Ann", "there"))


def test_the_newest_lines_are_said_where_there_are_too_many() -> None:
    assert said(chat("one", "two", "three"), 2) == (("Ann", "two"), ("Ann", "three"))
    assert said(chat("one"), 2) == (("Ann", "one"),)


def test_what_was_heard_is_worked_out_once_for_a_view() -> None:
    heard, many = Heard(), chat(*map(str, range(NEWEST_SAID + 3)))
    first = heard.said(many)
    assert [text for _, text in first] == [str(number) for number in range(3, NEWEST_SAID + 3)]
    assert heard.said(many) is first
    assert heard.said(chat("new")) == (("Ann", "new"),)
    assert heard.said(None) == ()
