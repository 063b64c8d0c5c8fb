"""What a server's first bytes say of whether somebody is let in."""

from cartino_server.ssh.admission import AdmissionRefused
from cartino_server.ssh.rejection import disconnect_packet
from tests.support.knocks import GREETING, was_let_in


def test_who_is_let_in_gets_a_key_exchange() -> None:
    assert was_let_in(GREETING + b"\0\0\1\0\4\x14")
    for heard in (
        b"",
        GREETING,
        GREETING + b"\0\0\1\0\4",
        disconnect_packet(AdmissionRefused("files")),
        b"\0\0\1\0\4\x14",
    ):
        assert not was_let_in(heard)
