"""What is written of a lost game can be told in any language, and whatever stands there can be told."""

import pytest

from cartino_protocol.marking import Sentence, later, later_count
from cartino_server.store.losses import read_why, write_why
from tests.support.pseudo import PSEUDO, plain_words


@pytest.mark.parametrize(
    "why",
    [
        later("all of it is missing"),
        later("entry {seq} is missing", seq=3),
        later_count("its last entry is missing", "its last {n} entries are missing", 2),
    ],
)
def test_a_reason_is_read_as_it_was_written_and_is_told_in_the_readers_language(why: Sentence) -> None:
    read = read_why(write_why(why).encode())
    assert read == why
    assert plain_words(PSEUDO.tell(read)) == []


@pytest.mark.parametrize(
    "written",
    [
        b"all of it is missing",
        b"",
        b"{",
        b"[1]",
        b'{"text":"{seq} is","places":{"other":1}}',
        b'{"text":"{","places":{"other":1}}',
        b'{"text":"{0}","places":{"other":1}}',
        b'{"text":"{a.b}","places":{"a":1}}',
        b'{"text":"{a:d}","places":{"a":[]}}',
    ],
)
def test_what_is_no_sentence_stands_there_as_it_is(written: bytes) -> None:
    assert read_why(written) == Sentence(written.decode())
    assert str(read_why(b"\xff\xfe {")) == "�� {"
