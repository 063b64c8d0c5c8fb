import msgspec

from cartino_server.entry.settings import Settings
from cartino_server.ssh.limits import SessionLimits


def test_the_limits_of_a_session_have_the_defaults_of_the_settings() -> None:
    settings = msgspec.structs.asdict(Settings())
    limits = msgspec.structs.asdict(SessionLimits())
    assert limits == {name: settings[name] for name in limits}
