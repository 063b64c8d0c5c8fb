"""Why a call came to nothing; each is one sentence for the person who called."""


class CallError(Exception):
    """The call did not come about; another try may."""


class CallRefused(CallError):
    """Nor will it come about on another try."""


class UnknownHostKey(CallRefused):
    """Nobody has said yet whether the key that the host showed is the right one."""

    def __init__(self, name: str, kind: str, fingerprint: str) -> None:
        """The key of `name`, as known_hosts has it, of the type `kind`; its SHA256 `fingerprint` as ssh shows it."""
        super().__init__(f"Nobody has confirmed the {kind} key {fingerprint} of {name}.")
        self.name = name
        self.kind = kind
        self.fingerprint = fingerprint


class BadAnswer(Exception):
    """What came in says nothing in our protocol."""
