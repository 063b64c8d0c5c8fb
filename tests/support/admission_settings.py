"""Settings for tests of logins: without limits, except for those given."""

from cartino_server.operations.settings import ServerSettings


def login_settings(
    *,
    guests: bool = True,
    admins: tuple[str, ...] = (),
    exempt: tuple[str, ...] = (),
    connections: int = 0,
    connections_each: int = 0,
    connections_a_person: int = 0,
) -> ServerSettings:
    """Return settings whose limits on connections are off unless given."""
    return ServerSettings(
        guests=guests,
        admins=admins,
        exempt=exempt,
        connections=connections,
        connections_each=connections_each,
        connections_a_person=connections_a_person,
    )
