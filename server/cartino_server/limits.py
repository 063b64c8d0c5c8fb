"""Limits and times of the server with their defaults, one struct for each part that applies them.

`operations.settings` names those that a host can set; the others are constants, and tests pass their own values.
Rates are in `rate_limit`.
"""

import msgspec


class AdmissionLimits(msgspec.Struct, frozen=True):
    """Limits before login; 0 means no limit.

    * unauthenticated, unauthenticated_each: connections before our key exchange reply, in all and per source.
    * logging_in, logging_in_each: connections that have our key exchange reply and have not logged in, in all and per
      source. Beyond that they count as those before the reply.
    * connections_each: connections per source.
    * arrivals_each: logins per source and second; ten seconds' worth may come at once.
    * penalties: longest block of a source, in seconds.
    * exempt: networks without limits per source; proxies: networks that must send the PROXY protocol.
    """

    unauthenticated: int = 100
    unauthenticated_each: int = 2
    connections_each: int = 20
    arrivals_each: int = 4
    penalties: float = 600.0
    exempt: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    logging_in: int = 100
    logging_in_each: int = 10


class SessionLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of one connection.

    * login_grace: seconds until a client must have logged in, with time to read the question about the host key.
    * handshake_grace: seconds until a client must have got as far as our key exchange reply.
    * auth_attempts: failed login attempts.
    * sessions: concurrent sessions on a connection.
    * columns, lines: the largest terminal, in cells.
    * input_rate, input_burst: bytes of input a second, and at once; a login takes some 4,000.
    * key_rate: keys a second.
    * answer_bytes: size of the answer to a command.
    * exempt: networks whose clients are unrelated although they share addresses.
    """

    login_grace: float = 180.0
    auth_attempts: int = 6
    sessions: int = 1
    columns: int = 300
    lines: int = 120
    input_rate: int = 32_768
    input_burst: int = 65_536
    key_rate: int = 60
    answer_bytes: int = 1 << 20
    exempt: tuple[str, ...] = ()
    handshake_grace: float = 20.0


class ServerConfig(msgspec.Struct, frozen=True):
    """Times and limits of the lobby and its tables; times are in seconds.

    * bot_pause: between a bot's moves; bot_patience: longest time for a bot's choice.
    * empty_after: until an empty table is closed; unused_after: if nothing was ever dealt there; unfinished_after: if a
      game is running; paused_after: if the game is paused.
    * lobby_every, spectators_every: shortest interval between two lists, or two views for spectators, on a link.
    * listed_after: for how long a table whose game is over stays in the list of public tables.
    * place: what the host calls the server, "" for nothing.
    * retry: until a failed write is tried again.
    * tables, tables_each, tables_a_source: tables in all, opened by one person, opened from one source (0: no limit).
    * challenges_each, challenges_a_source: challenges that nobody has taken yet, opened by one person, and from one
      source (0: no limit), which has room for other tables beside them.
    * games_a_day: finished games stored a day per known person or network (0: no limit).
    * burst, rate: commands of a person at once, and a second; seats_burst, seats_rate: changes of seats, names,
      settings, keys and mutes.
    * chat_lines in chat_seconds, each of chat_length characters.
    * inbox, refusals: commands and refusals of one link that wait; queue: commands that wait at one table.
    """

    bot_pause: float = 1.0
    bot_time_limit: float = 4.0
    empty_after: float = 600.0
    unfinished_after: float = 3 * 86_400.0
    paused_after: float = 60 * 86_400.0
    unused_after: float = 120.0
    lobby_every: float = 0.5
    spectators_every: float = 1.0
    listed_after: float = 60.0
    place: str = ""
    retry: float = 1.0
    tables: int = 200
    tables_each: int = 5
    tables_a_source: int = 20
    challenges_each: int = 3
    challenges_a_source: int = 10
    games_a_day: int = 100
    burst: int = 40
    rate: float = 20.0
    chat_lines: int = 5
    chat_seconds: float = 10.0
    chat_length: int = 300
    seats_burst: int = 10
    seats_rate: float = 1.0
    inbox: int = 64
    refusals: int = 64
    queue: int = 1024


class Retention(msgspec.Struct, frozen=True):
    """How long finished games are stored.

    `keep_days`, or `keep_rated_days` for rated games between known people; 0 is forever.
    At most `keep_most` are stored (0: no limit); beyond that strangers' games go first, rated ones last, oldest first.
    """

    keep_days: float = 365.0
    keep_rated_days: float = 0.0
    keep_most: int = 200_000
