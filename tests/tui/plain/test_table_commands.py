"""The commands at a table: a word each, also with a name that is not in the list, or a number of no line."""

from collections.abc import Callable

import msgspec
import pytest

from cartino_protocol.accounts import Ignored, IgnoredPerson, Reported
from cartino_protocol.commands import Ignore, Report, Say
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView
from tests.support.plain import Talk
from tests.support.visit import chat, toy_table, welcome
from tests.tui.plain.test_table import reviewed

EVE = IgnoredPerson("eve-mark", "Eve")


def at_a_table() -> Talk:
    return Talk(Ignored(()), toy_table("Ann Bo -", "open", game="cartino"), chat())


def eve_talks(*texts: str) -> ChatView:
    view = chat(("Ann", "hi"), *(("Eve", text) for text in texts))
    lines = tuple(msgspec.structs.replace(line, who=f"{line.name.lower()}-mark") for line in view.lines)
    return msgspec.structs.replace(view, lines=lines)


def test_a_message_is_as_long_as_the_server_says() -> None:
    short = msgspec.structs.replace(welcome(), chat_length=5)
    talk = Talk(short, toy_table("Ann Bo -", "open", game="cartino"), chat())
    assert talk.sends("say hello") == Say("hello")
    assert talk.types("say hello!") == ["Too long: a message can have up to 5 characters."]
    assert talk.link.said[-1] == Say("hello")


def test_people_are_muted_by_name_and_heard_again() -> None:
    talk = at_a_table()
    assert talk.hears(eve_talks("a rude word"))[-1] == "Eve: a rude word"
    assert talk.sends("ignore eve") == Ignore("eve-mark", "eve")
    assert talk.hears(Ignored((EVE,))) == ["Eve is muted."]
    assert talk.hears(eve_talks("a rude word", "another")) == []
    assert talk.types("talk") == ["You: hi"]
    assert talk.types("ignored") == ["You've muted 1 person: Eve.", "unignore NAME unmutes someone."]
    assert talk.types("unignore bo") == ["You haven't muted anyone called bo."]
    assert talk.sends("unignore EVE") == Ignore("eve-mark", "Eve", on=False)
    assert talk.hears(Ignored(())) == ["You've unmuted Eve."]
    assert talk.types("talk")[-1] == "Eve: another"


def test_what_is_typed_next_waits_until_the_server_has_answered() -> None:
    talk = at_a_table()
    for answer in (Ignored((EVE,)), Refusal("too-many-ignored", "200", to="Ignore")):
        talk.types("ignore eve")
        assert talk.conversation.waiting
        talk.hears(answer)
        assert not talk.conversation.waiting
    talk.hears(Ignored(()), eve_talks("a rude word"))
    talk.types("report 2")
    assert talk.conversation.waiting
    talk.hears(Reported(2, "Eve"))
    assert not talk.conversation.waiting


@pytest.mark.parametrize("place", [at_a_table, Talk])
def test_words_without_a_name_say_what_they_need(place: Callable[[], Talk]) -> None:
    talk = place()
    assert talk.types("ignore") == ["Type ignore and a player's name."]
    assert talk.types("unignore") == ["Type unignore and a name. Type ignored to hear who you've muted."]
    assert talk.types("ignored")[0] == "You haven't muted anyone. Type ignore and a name to mute someone."


def test_a_message_is_reported_by_its_number() -> None:
    talk = at_a_table()
    assert talk.types("report") == ["Nobody else has said anything here."]
    talk.hears(eve_talks("a rude word"))
    asked = ["Report which message? Type report and its number.", "2: Eve: a rude word"]
    for typed in ("report", "report 1", "report 9", "report x", "report " + "9" * 4000):
        assert talk.types(typed) == asked
    assert talk.sends("report 2") == Report(2)
    assert talk.hears(Reported(2, "Eve")) == ["Eve's message was reported to the host."]


@pytest.mark.parametrize(
    ("duplicate", "practice", "told"),
    [
        (
            "ABCD2345",
            False,
            [
                "This duplicate match's code is A B C D 2 3 4 5.",
                "Others play this deal with: ssh -t host join ABCD2345",
            ],
        ),
        (
            "",
            True,
            [
                "This is your own table, for practice; ranked players play another deal.",
                "This is practice; others play the day's game with: ssh -t host daily --game cartino",
            ],
        ),
        (
            "",
            False,
            [
                "This is your own table of a daily game; everybody has one.",
                "Others play the day's game with: ssh -t host daily --game cartino",
            ],
        ),
    ],
)
def test_the_code_of_an_attempt_is_the_one_that_others_need(
    duplicate: str, practice: bool, told: list[str]
) -> None:
    talk = Talk()
    attempt = msgspec.structs.replace(
        reviewed(), once=True, sealed="2026-02-04 00:00", duplicate=duplicate, practice=practice
    )
    heading = " ".join(talk.hears(attempt, chat()))
    assert ("Duplicate match ABCD2345" in heading) == bool(duplicate)
    assert ("Daily game (practice), Cartino" in heading) == practice
    assert talk.types("code")[-2:] == told
