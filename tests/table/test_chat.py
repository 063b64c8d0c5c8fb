"""The two channels of a table."""

from cartino_protocol.notices import News
from cartino_server.table.chat import KEPT, NOTICES_SHOWN, WORDS_SHOWN, Chat, restored_chat
from tests.support.game_server import texts


def said(chat: Chat, *, spectator: bool) -> list[str]:
    return texts(chat.view(spectator, "table"))


def test_spectators_hear_both_channels_in_order_and_players_one() -> None:
    chat = Chat()
    chat = chat.say("ann", "one", "table")
    chat = chat.say("eve", "two", "watchers")
    chat = chat.notice(News("paused"))
    assert said(chat, spectator=True) == ["one", "two", "the game is paused"]
    assert said(chat, spectator=False) == ["one", "the game is paused"]
    assert [each.n for each in chat.view(True, "table").talk] == [1, 2, 3]


def test_only_the_last_lines_are_shown() -> None:
    chat = Chat()
    for number in range(KEPT + 5):
        chat = chat.say("ann", str(number), "table")
    assert said(chat, spectator=False) == [str(number) for number in range(KEPT + 5 - WORDS_SHOWN, KEPT + 5)]


def test_spectators_can_not_push_out_what_players_said() -> None:
    chat = Chat()
    chat = chat.say("ann", "mine", "table")
    before = chat.view(False, "table")
    for _ in range(2 * KEPT):
        chat = chat.say("eve", "noise", "watchers")
    assert chat.view(False, "table") == before


def test_a_line_can_be_reported_whatever_others_say_behind_it() -> None:
    chat = Chat()
    chat = chat.say("~eve", "abuse", "table", "eve")
    for number in range(5 * KEPT):
        chat = chat.say("~eve", "noise", "table", f"again {number % 40}")
    assert [line.text for line in chat.up_to(1, True, 6)] == ["abuse"]
    assert len(chat.words()) == KEPT
    assert "abuse" not in said(chat, spectator=True)


def test_who_says_most_gives_way_to_themselves() -> None:
    chat = Chat()
    for number in range(KEPT + 5):
        chat = chat.say("ann", str(number), "table")
        if number < 3:
            chat = chat.say("bob", f"bob {number}", "table")
    words = [line.text for line in chat.words()]
    assert words == [*(f"bob {number}" for number in range(3)), *map(str, range(8, KEPT + 5))]
    again = restored_chat(*([each.line for each in lines] for lines in (chat.table, chat.spectators)))
    assert again.words() == chat.words()


def test_a_word_each_of_many_from_one_place_pushes_out_nothing_of_others() -> None:
    """Strangers make keys in a moment: what one of them has said outlives a line each of hundreds from there."""
    chat = Chat()
    chat = chat.say("mallory", "one", "table", "m", "there")
    chat = chat.say("mallory", "the insult", "table", "m", "there")
    chat = chat.say("ann", "stop it", "table", "a", "home")
    chat = chat.say("bob", "yes", "table", "b")
    for number in range(5 * KEPT):
        chat = chat.say(f"~g{number}", "x", "table", f"g{number}", "elsewhere")
    assert [line.text for line in chat.words()][:4] == ["one", "the insult", "stop it", "yes"]
    assert len(chat.words()) == KEPT
    assert chat.up_to(2, False, 1)


def test_of_those_from_one_place_who_says_most_gives_way() -> None:
    chat = Chat()
    chat = chat.say("ann", "help", "table", "a", "school")
    for number in range(2 * KEPT):
        chat = chat.say("ben", str(number), "table", "b", "school")
    assert [line.text for line in chat.words()] == ["help", *map(str, range(KEPT + 1, 2 * KEPT))]


def test_people_who_come_and_go_push_out_nothing_that_was_said() -> None:
    chat = Chat()
    words = [f"word {number}" for number in range(WORDS_SHOWN)]
    for word in words:
        chat = chat.say("ann", word, "table")
        chat = chat.notice(News("left", "eve"))
    for _ in range(2 * KEPT):
        chat = chat.notice(News("watches", "eve"))
    shown = said(chat, spectator=False)
    assert [text for text in shown if text in words] == words
    assert shown.count("eve is watching") == len(shown) - WORDS_SHOWN == NOTICES_SHOWN


def test_what_is_revealed_is_everybody_s() -> None:
    chat = Chat()
    chat = chat.say("eve", "secret", "watchers")
    chat = chat.say("ann", "open", "table")
    chat = chat.reveal()
    chat = chat.say("eve", "secret again", "watchers")
    assert said(chat, spectator=False) == ["secret", "open"]
