"""What a log knows of errors and of what other processes write: where and of which kind, and never a word."""

import pytest

from cartino_server.metrics.error_summaries import LineSummary, summarize_error, summarize_line


def test_an_error_is_told_by_its_kind_and_place() -> None:
    try:
        raise KeyError("red 7")
    except KeyError as error:
        told = summarize_error(error)
    assert told.startswith("KeyError at test_error_summaries.py:")
    assert "red" not in told


@pytest.mark.parametrize(
    ("line", "kind", "where"),
    [
        (b"KeyError: Stone(colour='red', number=7)", "KeyError", ""),
        (b"KeyError", "KeyError", ""),
        (b"builtins.MemoryError: x", "MemoryError", ""),
        (b'  File "/srv/cartino/laying.py", line 53, in lay', "", "laying.py:53"),
        (b'File "R7.py", line 1', "", "R7.py:1"),
        (b"    return hand.index(stone)", "", ""),
        (b"red: 7", "", ""),
        (b"R7Error: 9", "", ""),
        (b"print: R7", "", ""),
        (b"__doc__: R7", "", ""),
        (b"KeyErrors: R7", "", ""),
        (b"\xff\x1b[2J: R7", "", ""),
        (b"", "", ""),
    ],
)
def test_a_line_of_another_process_is_told_without_its_words(line: bytes, kind: str, where: str) -> None:
    assert summarize_line(line) == LineSummary(len(line), kind, where)


def test_a_long_line_is_read_at_once() -> None:
    assert summarize_line(b"a." * 500_000 + b"!").kind == ""
    assert summarize_line(b'File "' + b"/" * 500_000).where == ""
