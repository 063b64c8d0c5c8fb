from cartino_server.networks import Networks
from cartino_server.operations.settings import ServerSettings, session_limits


def test_people_of_one_source_have_nothing_to_do_with_each_other_where_they_are_not_counted() -> None:
    exempt = ("192.0.2.0/24",)
    assert session_limits(ServerSettings(exempt=exempt)).exempt == exempt
    everywhere = Networks(session_limits(ServerSettings(exempt=exempt, connections_each=0)).exempt)
    assert everywhere.has("198.51.100.7")
    assert everywhere.has("2001:db8::1")
