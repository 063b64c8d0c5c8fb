"""Chat lines as drawn, and the screen with all of them; the visits are in `chat.txt`."""

import typing

from cartino_protocol.notices import NOTICES, News, Notice, NoticeKind
from cartino_protocol.views import ChatLine, ChatView
from cartino_tui.draw.theme import SEATS
from cartino_tui.game_port.screen import Look
from cartino_tui.i18n import ENGLISH
from cartino_tui.screens.chat import NEWEST_LINES, PASSING_SECONDS, RecentChat, chat_rows, chat_text
from tests.support.kit_table import kit_table
from tests.support.languages import in_others
from tests.support.pseudo import PSEUDO, plain_words
from tests.support.visit_script import visits


def chat(*texts: str | News) -> ChatView:
    numbered = tuple(enumerate(texts, 1))
    lines = (ChatLine(number, "Ann", text, "table") for number, text in numbered if isinstance(text, str))
    notices = (Notice(number, news) for number, news in numbered if isinstance(news, News))
    return ChatView(tuple(lines), "table", tuple(notices))


def test_every_line_is_said_with_its_name_and_made_safe() -> None:
    assert chat_text(None, ENGLISH) == ()
    assert chat_text(chat("hi\x1b[2J", "there"), ENGLISH) == (("Ann", "hi[2J"), ("Ann", "there"))


def test_the_newest_lines_are_said_where_there_are_too_many() -> None:
    assert chat_text(chat("one", "two", "three"), ENGLISH, 2) == (("Ann", "two"), ("Ann", "three"))
    assert chat_text(chat("one"), ENGLISH, 2) == (("Ann", "one"),)


def test_what_was_heard_is_worked_out_once_for_a_view() -> None:
    heard, many = RecentChat(), chat(*map(str, range(NEWEST_LINES + 3)))
    first = heard.format_newest_lines(many, ENGLISH)
    assert [text for _, text in first] == [str(number) for number in range(3, NEWEST_LINES + 3)]
    assert heard.format_newest_lines(many, ENGLISH) is first
    assert heard.format_newest_lines(chat("new"), ENGLISH) == (("Ann", "new"),)
    assert heard.format_newest_lines(None, ENGLISH) == ()


def test_comings_and_goings_expire_and_other_notices_stay() -> None:
    time = [100.0]
    heard = RecentChat(now=lambda: time[0])
    assert heard.next_expiry() is None
    restarts = "The server restarts in a moment; your seat is kept."
    talk = chat("hi", News("paused"), News("restarts"))
    said = (("Ann", "hi"), ("", "the game is paused"), ("", restarts))
    assert heard.format_newest_lines(talk, ENGLISH) == said
    time[0] += 5.0
    later = chat("hi", News("paused"), News("restarts"), News("left", "eve"))
    assert heard.format_newest_lines(later, ENGLISH) == (*said, ("", "eve left"))
    assert heard.next_expiry() == PASSING_SECONDS - 5.0
    time[0] += PASSING_SECONDS - 5.0
    assert heard.format_newest_lines(later, ENGLISH) == (said[0], said[2], ("", "eve left"))
    assert heard.next_expiry() == 5.0
    time[0] += 5.0
    assert heard.format_newest_lines(later, ENGLISH) == (said[0], said[2])
    assert heard.next_expiry() is None


def test_ones_own_coming_is_not_shown_and_waits_for_no_end() -> None:
    heard, own = RecentChat(now=lambda: 100.0), News("sits", "ann")
    assert heard.format_newest_lines(chat(own), ENGLISH, own) == ()
    assert heard.next_expiry() is None
    assert heard.format_newest_lines(chat(own, News("sits", "eve")), ENGLISH, own) == (
        ("", "eve takes a seat"),
    )
    assert heard.next_expiry() == PASSING_SECONDS


def test_notices_take_no_place_of_a_line() -> None:
    """The newest lines are all there, however many notices came after them."""
    notices = tuple(Notice(number, News("left", f"p{number}")) for number in range(20, 30))
    lines = tuple(ChatLine(number, "Ann", str(number), "table") for number in range(NEWEST_LINES))
    said = RecentChat().format_newest_lines(ChatView(lines, "table", notices), ENGLISH)
    assert [text for name, text in said if name] == [str(number) for number in range(NEWEST_LINES)]


def test_notices_stand_among_the_lines_in_the_readers_language() -> None:
    lines = ChatView((ChatLine(2, "eve", "hi", "watchers"),), "table", (Notice(1, News("watches", "eve")),))
    assert chat_text(lines, ENGLISH) == (("", "eve is watching"), ("eve (watching)", "hi"))
    heard = RecentChat()
    heard.format_newest_lines(lines, ENGLISH)
    assert [
        plain_words(text, "eve", "hi") for line in heard.format_newest_lines(lines, PSEUDO) for text in line
    ] == [[]] * 4


def test_every_notice_has_one_sentence() -> None:
    assert set(NOTICES) == set(typing.get_args(NoticeKind))
    for word in NOTICES:
        assert "{" not in str(News(word, "Ann", "Bo").words())


def test_notices_of_shared_deals_begin_with_what_matters() -> None:
    """Beside Caro's board a notice has 31 cells at 60×20, and 15 at its narrowest."""
    for translator in (ENGLISH, *(look.translator for look in in_others(Look(60, 20)))):
        daily, practice = (translator.render(each.words()) for each in (News("daily"), News("practice")))
        assert len(daily) <= 31
        assert practice.startswith(daily.removesuffix("."))
        for matches in (News("duplicate", "AB2DEFGH"), News("duplicate-played", "AB2DEFGH")):
            assert translator.render(matches.words()).startswith("Code AB2DEFGH")


def test_players_speak_in_the_colour_of_their_seat_in_the_history_too() -> None:
    table = kit_table(3, None)
    people = {seat.name: SEATS[number] for number, seat in enumerate(table.seats) if seat.kind == "human"}
    assert len(people) > 1
    rows = chat_rows(tuple((name, "hi") for name in (*people, "eve (watching)")), Look(80, 24), 78, table)
    assert [row[0][1] for row in rows] == [*people.values(), "chat-name"]


test_visits = visits(__file__)
