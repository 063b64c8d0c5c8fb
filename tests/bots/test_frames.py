"""What a bot's process is asked goes through the pipe and comes out the same."""

import msgspec

from cartino_protocol.framing import Frames
from cartino_server.bots.frames import Question, frame


def test_a_question_comes_out_as_it_went_in() -> None:
    asked = Question("race", "steady", b"view", b"dice")
    (body,) = Frames().feed(frame(asked))
    assert msgspec.msgpack.decode(body, type=Question) == asked
