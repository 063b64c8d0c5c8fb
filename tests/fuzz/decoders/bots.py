"""The JSON lines that a bot says."""

from cartino_server.bots.messages import read_message
from tests.fuzz.attacking import Decoder, plainly

LINES = (
    b'{"type":"play","game":"cartino"}',
    b'{"type":"move","table":"K7QP","number":17,"move":"KSu"}',
    b'{"type":"join","table":"K7QP"}',
    b'{"type":"create","game":"cartino","seats":3,"bots":["greedy"],"options":{"edition":"1969"},"clock":"60s"}',
    b'{"type":"rematch","table":"K7QP"}',
)
WORDS = (
    b'"type"',
    b'"type":"leave",',
    b"[" * 4000,
    b'{"a":' * 2000,
    b"1e400",
    b"9" * 5000,
    b'"\\ud800"',
    b"\xff",
    b"\x00",
    b"null",
    b"NaN",
)


def _read(data: bytes) -> bool:
    return read_message(data) is not None


DECODERS = (Decoder("bot", LINES, plainly(_read), "bytes", WORDS),)
