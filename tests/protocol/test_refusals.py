"""Every reason has a sentence that says it in one line."""

import typing

from cartino_protocol.refusals import REFUSALS, Refusal, RefusalReason


def test_every_reason_has_one_sentence() -> None:
    assert set(REFUSALS) == set(typing.get_args(RefusalReason))
    for reason in REFUSALS:
        sentence = Refusal(reason, "X").sentence()
        assert sentence.endswith(".")
        assert "{" not in sentence
        assert "\n" not in sentence


IN_ROWS = {"version", "no-key", "bad-code", "key-seated", "key-moved", "unknown-key", "last-key"}
"""Is read when the visit is over, or where people look at their keys, which has rows enough."""
IN_SHELLS = {"duplicate-code", "bot-late", "not-a-bot"}
"""Is read behind `ssh HOST` alone."""


def test_every_sentence_of_a_visit_fits_the_narrowest_terminal() -> None:
    for reason in REFUSALS:
        assert reason in IN_ROWS | IN_SHELLS or len(Refusal(reason, "K7QP-12").sentence()) <= 78
