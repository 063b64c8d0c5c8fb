"""What one connection, and one session on it, may do before it is held back, cut short or ended."""

import msgspec


class SessionLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The bounds of one connection; the defaults are those of the settings of these names.

    login_grace: seconds until somebody has to have logged in; auth_attempts: tries of it that may fail; sessions: that
    run at once on a connection; columns, lines: the largest terminal that is drawn on, in cells; input_rate,
    input_burst: bytes typed a second, and at once; key_rate: keys a second; answer_bytes: of the answer to a command;
    exempt: networks whose people have nothing to do with each other, though all come from there.
    """

    login_grace: float = 20.0
    auth_attempts: int = 6
    sessions: int = 1
    columns: int = 300
    lines: int = 120
    input_rate: int = 32_768
    input_burst: int = 65_536
    key_rate: int = 60
    answer_bytes: int = 1 << 20
    exempt: tuple[str, ...] = ()
