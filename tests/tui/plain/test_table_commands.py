"""The commands at a table: a word each, also with a name that is not in the list, or a number of no line."""

import msgspec
import pytest

from tests.support.plain import Talk
from tests.support.talk_script import talks
from tests.support.visit import chat
from tests.tui.plain.test_table import reviewed

test_talks = talks(__file__)


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
