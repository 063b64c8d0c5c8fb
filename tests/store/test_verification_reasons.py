"""What is written of a lost game can be told in any language, and whatever stands there can be told."""

import pytest

from cartino_protocol.text import LazyMessage, lazy_gettext, lazy_ngettext
from cartino_server.store.verification import decode_reason, encode_reason
from tests.support.pseudo import PSEUDO, plain_words


@pytest.mark.parametrize(
    "why",
    [
        lazy_gettext("all of it is missing"),
        lazy_gettext("entry {seq} is missing", seq=3),
        lazy_ngettext("its last entry is missing", "its last {n} entries are missing", 2),
    ],
)
def test_a_reason_is_read_as_it_was_written_and_is_told_in_the_readers_language(why: LazyMessage) -> None:
    read = decode_reason(encode_reason(why).encode())
    assert read == why
    assert plain_words(PSEUDO.render(read)) == []


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
    assert decode_reason(written) == LazyMessage(written.decode())
    assert str(decode_reason(b"\xff\xfe {")) == "�� {"
