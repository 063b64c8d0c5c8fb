"""What a log says of an error that nobody foresaw: its kind and where, never its words, which may tell of a hand."""

import traceback

from cartino_protocol.marking import Sentence, later


def account(error: BaseException) -> str:
    """Like "KeyError at laying.py:53, from match.py:71": the innermost place first."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(frames)]
    return f"{type(error).__name__} at {', from '.join(places)}" if places else type(error).__name__


def not_again(error: BaseException) -> Sentence:
    """A clause for a game that can't be set up again because of an error that nobody foresaw."""
    return later("it can't be played again ({account})", account=account(error))
