"""What is typed in the lobby with a name or a code behind it, and what is told about the people and games there."""

import msgspec
import pytest

from cartino_protocol.views import (
    NameChangeReason,
)
from cartino_tui.visit.messages import name_change_message
from tests.support.talk_script import talks
from tests.support.visit import welcome

test_talks = talks(__file__)


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("name-taken", '"root" is taken (or too similar), so you\'re player.'),
        (
            "bad-name",
            "\"root\" isn't a valid name, so you're player. "
            "Use 2 to 16 letters or digits (wide ones count twice), with - _ . ' between.",
        ),
        ("mixed-name", '"root" mixes alphabets, so you\'re player.'),
        ("house-name", '"root" is reserved, so you\'re playing as player.'),
    ],
)
def test_a_person_with_another_name_than_they_asked_for_hears_why_once(
    why: NameChangeReason, words: str
) -> None:
    missed = msgspec.structs.replace(welcome("player"), missed="root", missed_for=why)
    assert str(name_change_message(missed)) == words
