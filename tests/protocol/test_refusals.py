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
        # That one is read when the visit is over.
        assert reason == "version" or len(Refusal(reason, "K7QP-12").sentence()) <= 78
