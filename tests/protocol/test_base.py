"""Table codes as people type them."""

import pytest

from cartino_protocol.base import parse_code


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("K7QP", "K7QP"),
        (" k7-qp ", "K7QP"),
        ("k7qp wx3m", "K7QPWX3M"),
        ("K7Q", None),
        ("K7Q0", None),
        ("K7QPW", None),
        ("K7QPWX3MA", None),
    ],
)
def test_a_code_is_read_kindly(typed: str, code: str | None) -> None:
    assert parse_code(typed) == code
