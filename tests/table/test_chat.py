"""The two channels of a table, and text from people: what is kept, dropped and refused."""

import pytest

from cartino_protocol.notices import News
from cartino_server.table.chat import KEPT, NOTICES_SHOWN, WORDS_SHOWN, Chat, clean_text, restored_chat
from tests.support.game_server import texts


def shown(chat: Chat, *, spectator: bool) -> list[str]:
    return texts(chat.view(spectator, "table"))


def words(chat: Chat) -> list[str]:
    return [line.text for line in chat.words()]


def test_spectators_read_both_channels_in_order_and_players_one_until_it_is_revealed() -> None:
    chat = Chat().say("ann", "one", "table").say("eve", "two", "watchers").notice(News("paused"))
    assert shown(chat, spectator=True) == ["one", "two", "the game is paused"]
    assert shown(chat, spectator=False) == ["one", "the game is paused"]
    assert [each.n for each in chat.view(True, "table").talk] == [1, 2, 3]
    chat = chat.reveal().say("eve", "three", "watchers")
    assert shown(chat, spectator=False) == ["one", "two", "the game is paused"]


def test_only_the_last_lines_and_notices_are_shown_and_neither_pushes_out_the_other() -> None:
    chat = Chat()
    for number in range(KEPT + 5):
        chat = chat.say("ann", str(number), "table").notice(News("left", "eve"))
    for _ in range(2 * KEPT):
        chat = chat.notice(News("watches", "eve"))
    lines = shown(chat, spectator=False)
    assert [text for text in lines if text.isdigit()] == list(
        map(str, range(KEPT + 5 - WORDS_SHOWN, KEPT + 5))
    )
    assert lines.count("eve is watching") == len(lines) - WORDS_SHOWN == NOTICES_SHOWN


def test_spectators_can_not_push_out_what_players_said() -> None:
    chat = Chat().say("ann", "mine", "table")
    before = chat.view(False, "table")
    for _ in range(2 * KEPT):
        chat = chat.say("eve", "noise", "watchers")
    assert chat.view(False, "table") == before


def test_who_says_most_pushes_out_their_own_lines_and_a_journal_restores_the_rest() -> None:
    chat = Chat()
    for number in range(KEPT + 5):
        chat = chat.say("ann", str(number), "table")
        if number < 3:
            chat = chat.say("bob", f"bob {number}", "table")
    assert words(chat) == [*(f"bob {number}" for number in range(3)), *map(str, range(8, KEPT + 5))]
    again = restored_chat(*([each.line for each in lines] for lines in (chat.table, chat.spectators)))
    assert again.words() == chat.words()


def test_a_line_can_be_reported_whatever_others_say_after_it() -> None:
    chat = Chat().say("~eve", "abuse", "table", "eve")
    for number in range(5 * KEPT):
        chat = chat.say("~eve", "noise", "table", f"again {number % 40}")
    assert [line.text for line in chat.up_to(1, True, 6)] == ["abuse"]
    assert len(chat.words()) == KEPT
    assert "abuse" not in shown(chat, spectator=True)


def test_a_line_each_of_many_from_one_network_pushes_out_nothing_of_others() -> None:
    """Strangers make keys in a moment: what one of them has said outlives a line each of hundreds from there."""
    chat = Chat()
    for name, text, where in (
        ("mallory", "one", "there"),
        ("mallory", "the insult", "there"),
        ("ann", "stop it", "home"),
        ("bob", "yes", ""),
    ):
        chat = chat.say(name, text, "table", name, where)
    for number in range(5 * KEPT):
        chat = chat.say(f"~g{number}", "x", "table", f"g{number}", "elsewhere")
    assert words(chat)[:4] == ["one", "the insult", "stop it", "yes"]
    assert len(chat.words()) == KEPT
    assert chat.up_to(2, False, 1)


def test_of_one_network_s_people_who_says_most_loses_lines() -> None:
    chat = Chat().say("ann", "help", "table", "a", "school")
    for number in range(2 * KEPT):
        chat = chat.say("ben", str(number), "table", "b", "school")
    assert words(chat) == ["help", *map(str, range(KEPT + 1, 2 * KEPT))]


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("hello", "hello"),
        ("  hello  ", "hello"),
        ("a\u00a0b", "a b"),
        ("\u202eabc\u2066", "abc"),
        ("a\u200bb\ufeff", "ab"),
        ("e\u0301", "é"),
        ("z\u0316\u0317\u0318", "z\u0316\u0317"),
        ("[b]x[/b]", "[b]x[/b]"),
        ("*** a", "** a"),
        ("a ******", "a **"),
        ("a**b", "a**b"),
        ("★＊\u200b* a", "** a"),
        ("日本", "日本"),
        ("\U0001f600", "\U0001f600"),
        *(
            (text, None)
            for text in ("", "   ", "\u200b", "a\x00", "\x1b[2J", "\x9b2J", "a\nb", "a\tb", "x" * 11)
        ),
    ],
)
def test_text_is_cleaned_or_refused(text: str, cleaned: str | None) -> None:
    assert clean_text(text, 10) == cleaned
    assert (clean_text(text, 11) is None) == (cleaned is None and text != "x" * 11)
