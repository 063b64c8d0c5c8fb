import msgspec

from cartino_server.app.serving import session_limits
from cartino_server.networks import Networks
from cartino_server.operations.settings import ServerSettings
from cartino_server.ssh.ports import SessionLimits


def test_the_limits_of_a_session_have_the_defaults_of_the_settings() -> None:
    settings = msgspec.structs.asdict(ServerSettings())
    limits = msgspec.structs.asdict(SessionLimits())
    assert limits == {name: settings[name] for name in limits}


def test_people_of_one_source_have_nothing_to_do_with_each_other_where_they_are_not_counted() -> None:
    exempt = ("192.0.2.0/24",)
    assert session_limits(ServerSettings(exempt=exempt)).exempt == exempt
    everywhere = Networks(session_limits(ServerSettings(exempt=exempt, connections_each=0)).exempt)
    assert everywhere.has("198.51.100.7")
    assert everywhere.has("2001:db8::1")
