"""Ignoring and reporting in lines: a word each, also with a name that is not in the list, or a number of no line."""

from collections.abc import Callable

import msgspec
import pytest

from cartino_protocol.accounts import Ignored, IgnoredPerson, Reported
from cartino_protocol.commands import Ignore, Report
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import ChatView
from tests.support.visit import chat, toy_table
from tests.tui.plain.test_lobby_commands_people import Talk

EVE = IgnoredPerson("eve-mark", "Eve")


def at_a_table() -> Talk:
    talk = Talk()
    for said in (Ignored(()), toy_table("Ann Bo -", "open", game="cartino"), chat()):
        talk.conversation.handle(said)
    talk.conversation.take_lines()
    return talk


def eve_talks(*texts: str) -> ChatView:
    view = chat(("Ann", "hi"), *(("Eve", text) for text in texts))
    lines = tuple(msgspec.structs.replace(line, who=f"{line.name.lower()}-mark") for line in view.lines)
    return msgspec.structs.replace(view, lines=lines)


def told(talk: Talk, text: str) -> list[str]:
    talk.conversation.enter(text)
    return talk.conversation.take_lines()


def test_whoever_talks_is_ignored_by_name_and_heard_again() -> None:
    talk = at_a_table()
    talk.conversation.handle(eve_talks("a rude word"))
    assert talk.conversation.take_lines()[-1] == "Eve: a rude word"
    assert talk.enter("ignore eve") == Ignore("eve-mark", "eve")
    talk.conversation.handle(Ignored((EVE,)))
    assert talk.conversation.take_lines() == ["Eve is muted."]
    talk.conversation.handle(eve_talks("a rude word", "another"))
    assert talk.conversation.take_lines() == []
    assert told(talk, "talk") == ["You: hi"]
    assert told(talk, "ignored") == ["You've muted 1 person: Eve.", "unignore NAME unmutes someone."]
    assert told(talk, "unignore bo") == ["You haven't muted anyone called bo."]
    assert talk.enter("unignore EVE") == Ignore("eve-mark", "Eve", on=False)
    talk.conversation.handle(Ignored(()))
    assert talk.conversation.take_lines() == ["You've unmuted Eve."]
    assert told(talk, "talk")[-1] == "Eve: another"


def test_in_the_lobby_it_is_the_same() -> None:
    talk = Talk()
    talk.conversation.handle(Ignored((EVE,)))
    assert talk.conversation.take_lines() == []
    assert told(talk, "ignored")[0] == "You've muted 1 person: Eve."
    assert talk.enter("ignore Adam") == Ignore(name="Adam")
    assert talk.enter("unignore eve") == Ignore("eve-mark", "Eve", on=False)


def test_what_is_typed_next_waits_until_the_server_has_answered() -> None:
    talk = at_a_table()
    for answer in (Ignored((EVE,)), Refusal("too-many-ignored", "200", to="Ignore")):
        talk.enter("ignore eve")
        assert talk.conversation.waiting
        talk.conversation.handle(answer)
        assert not talk.conversation.waiting
    talk.conversation.handle(Ignored(()))
    talk.conversation.handle(eve_talks("a rude word"))
    talk.enter("report 2")
    assert talk.conversation.waiting
    talk.conversation.handle(Reported(2, "Eve"))
    assert not talk.conversation.waiting


@pytest.mark.parametrize("place", [at_a_table, Talk])
def test_words_without_a_name_say_what_they_need(place: Callable[[], Talk]) -> None:
    talk = place()
    assert told(talk, "ignore") == ["Type ignore and a player's name."]
    assert told(talk, "unignore") == ["Type unignore and a name. Type ignored to hear who you've muted."]
    assert told(talk, "ignored") == ["You haven't muted anyone. Type ignore and a name to mute someone."]


def test_a_line_is_reported_by_its_number() -> None:
    talk = at_a_table()
    assert told(talk, "report") == ["Nobody else has said anything here."]
    talk.conversation.handle(eve_talks("a rude word"))
    talk.conversation.take_lines()
    asked = ["Report which message? Type report and its number.", "2: Eve: a rude word"]
    for line in ("report", "report 1", "report 9", "report x", "report " + "9" * 4000):
        assert told(talk, line) == asked
    assert talk.enter("report 2") == Report(2)
    talk.conversation.handle(Reported(2, "Eve"))
    assert talk.conversation.take_lines() == ["Eve's message was reported to the host."]
