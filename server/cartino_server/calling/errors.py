"""Why a call came to nothing; each is one sentence for the person who called."""

from cartino_protocol.marking import SentenceError, later


class CallError(SentenceError):
    """The call did not come about; another try may."""


class CallRefused(CallError):
    """Nor will it come about on another try."""


class UnknownHostKey(CallRefused):
    """Nobody has said yet whether the key that the host showed is the right one."""

    def __init__(self, name: str, kind: str, fingerprint: str) -> None:
        """The key of `name`, as known_hosts has it, of the type `kind`; its SHA256 `fingerprint` as ssh shows it."""
        super().__init__(
            later(
                "Nobody has confirmed the {kind} key {fingerprint} of {name}.",
                kind=kind,
                fingerprint=fingerprint,
                name=name,
            )
        )
        self.name = name
        self.kind = kind
        self.fingerprint = fingerprint


class BadAnswer(Exception):
    """What came in says nothing in our protocol."""
