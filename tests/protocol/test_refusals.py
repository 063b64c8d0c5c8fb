"""Every reason has a sentence that says it in one line."""

import typing

from cartino_protocol.refusals import SENTENCES, Reason, Refusal


def test_every_reason_has_one_sentence() -> None:
    assert set(SENTENCES) == set(typing.get_args(Reason))
    for reason in SENTENCES:
        sentence = Refusal(reason, "X").sentence()
        assert sentence.endswith(".")
        assert "{" not in sentence
        assert "\n" not in sentence


def test_every_sentence_of_a_visit_fits_the_narrowest_terminal() -> None:
    for reason in SENTENCES:
        # These are read when the visit is over, and where there are rows enough.
        assert reason in {"version", "no-key"} or len(Refusal(reason, "K7QP-12").sentence()) <= 78
