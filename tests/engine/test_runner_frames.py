"""What a bot's process is asked goes through the pipe and comes out the same."""

import msgspec

from cartino_engine.runner import BotRequest, encode_frame
from cartino_protocol.wire import FrameReader


def test_a_question_comes_out_as_it_went_in() -> None:
    asked = BotRequest("race", "steady", b"view", b"dice")
    (body,) = FrameReader().feed(encode_frame(asked))
    assert msgspec.msgpack.decode(body, type=BotRequest) == asked
