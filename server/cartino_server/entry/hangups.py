"""A hangup tells a server to read its settings again. One that comes while it still starts is remembered."""

import signal


class Hangups:
    """Whether there was a hangup that nobody has obeyed yet."""

    def __init__(self) -> None:
        """There was none."""
        self.waiting = False

    def listen(self) -> None:
        """From now on a hangup no longer ends the process, which the system would have it do."""
        signal.signal(signal.SIGHUP, lambda *_: self.note())

    def note(self) -> None:
        """There was one."""
        self.waiting = True
