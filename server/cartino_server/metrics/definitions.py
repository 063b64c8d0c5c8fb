"""Every metric of the program, under the name by which Prometheus sees it.

Labels take values from closed lists: a kind, a reason, a game, a bot, a process. They are never a player's name, an
address, a table's code or anything else that a stranger can choose.
"""

from typing import Final

from cartino_server.metrics.registry import MetricRegistry

REGISTRY: Final = MetricRegistry()
"""The registry of this process."""

OLD_NAMES: Final = {
    "cartino_tables": "cartino_rooms",
    "cartino_max_tables": "cartino_most_rooms",
    "cartino_tables_evicted_total": "cartino_rooms_given_up_total",
    "cartino_games_not_stored_total": "cartino_games_not_kept_total",
    "cartino_stored_games": "cartino_kept_games",
    "cartino_connections_refused_total": "cartino_turned_away_total",
    "cartino_limits_enforced_total": "cartino_cuts_total",
    "cartino_verified_time_seconds": "cartino_proved_time_seconds",
}
"""Names of the first release, under which the same figures are exported until the next one."""

_SCREEN_BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1.0, 5.0)
_DISK_BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_LAG_BUCKETS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)

_counter, _gauge, _histogram = REGISTRY.counter, REGISTRY.gauge, REGISTRY.histogram

# What people do.

SESSIONS: Final = _gauge(
    "cartino_sessions", "Sessions now: screen, lines, native or answer.", "kind", by_process=True
)
SESSIONS_STARTED: Final = _counter("cartino_sessions_begun_total", "Sessions that have begun.", "kind")
PEOPLE: Final = _gauge("cartino_people", "People on the server, including guests.")
TABLES: Final = _gauge("cartino_tables", "Tables now: open, playing or finished.", "state")
MAX_TABLES: Final = _gauge("cartino_max_tables", "Limit of tables.")
TABLES_EVICTED: Final = _counter(
    "cartino_tables_evicted_total", "Empty tables closed to make room for others."
)
GAMES: Final = _gauge("cartino_games", "Games that run now.", "game")
GAMES_STARTED: Final = _counter("cartino_games_begun_total", "Games that were dealt.", "game")
GAMES_ENDED: Final = _counter("cartino_games_over_total", "Games that have ended.", "game", "reason")
GAMES_NOT_STORED: Final = _counter(
    "cartino_games_not_stored_total", "Finished games not stored, since the players had too many that day."
)
MOVES: Final = _counter("cartino_moves_total", "Moves made and saved, including the bots'.", "game")

# What they have to wait for.

KEY_TO_FRAME: Final = _histogram(
    "cartino_key_to_frame_seconds",
    "From a key's bytes to those of the frame it draws by itself, without the server's answer.",
    _SCREEN_BUCKETS,
)
COMMAND_TO_COMMIT: Final = _histogram(
    "cartino_command_to_commit_seconds",
    "From a command's arrival at its table until its result is on disk and published.",
    _SCREEN_BUCKETS,
)
BOT_MOVE_TIME: Final = _histogram(
    "cartino_bot_choice_seconds", "Until a bot has chosen, including its wait.", _SCREEN_BUCKETS, "bot"
)

# What refuses them, or ends their sessions.

REFUSALS: Final = _counter("cartino_refusals_total", "Refused commands, by the protocol's reasons.", "reason")
CONNECTIONS_REFUSED: Final = _counter(
    "cartino_connections_refused_total", "Refused connections, by limit.", "kind"
)
CONNECTIONS_CLOSED: Final = _counter(
    "cartino_connections_over_total", "Connections that have ended, by how they did.", "why"
)
LIMITS_ENFORCED: Final = _counter(
    "cartino_limits_enforced_total", "Sessions, channels and requests that a limit ended or refused.", "kind"
)
CRASHES: Final = _counter(
    "cartino_crashes_total", "Sessions, tables and tasks that a bug ended, each for itself.", "where"
)
LOG_LINES_LOST: Final = _counter(
    "cartino_log_lines_lost_total", "Log lines dropped because earlier ones weren't read."
)

# The journal.

JOURNAL_QUEUE: Final = _gauge("cartino_journal_queue_tasks", "Tasks that wait to be written to the journal.")
JOURNAL_TASKS: Final = _counter("cartino_journal_tasks_total", "Tasks written to the journal.")
JOURNAL_COMMIT: Final = _histogram("cartino_journal_commit_seconds", "Time of a commit.", _DISK_BUCKETS)
DATA_BYTES: Final = _gauge("cartino_data_bytes", "Size of the journal and the people database on disk.")
GAMES_STORED: Final = _gauge("cartino_stored_games", "Finished games that are stored, packed.")
GAMES_PARKED: Final = _gauge(
    "cartino_parked_games", "Unfinished games that are stored until their players return."
)
GAMES_PRUNED: Final = _counter("cartino_games_pruned_total", "Finished games removed after their time.")
DISK_FREE: Final = _gauge("cartino_disk_free_bytes", "Free space where the data are.")
DAMAGED_RECORDS: Final = _gauge(
    "cartino_damaged_records", "Damaged games or people databases found by the weekly check.", "kind"
)
LAST_VERIFIED: Final = _gauge(
    "cartino_verified_time_seconds", "When all data were last verified, since 1970; 0 for never."
)

# The machine.

RECEIVED_BYTES: Final = _counter("cartino_received_bytes_total", "Input of sessions, before encryption.")
SENT_BYTES: Final = _counter("cartino_sent_bytes_total", "Output of sessions, before encryption.")
LOOP_LAG: Final = _histogram(
    "cartino_loop_lag_seconds", "Delay of a process's event loop.", _LAG_BUCKETS, "role"
)
LOOP_LAG_MAX: Final = _gauge(
    "cartino_loop_lag_max_seconds", "Longest delay of an event loop in the last seconds.", by_process=True
)
RESIDENT_MEMORY: Final = _gauge("cartino_resident_memory_bytes", "Resident memory.", by_process=True)
CPU_SECONDS: Final = _counter(
    "cartino_cpu_seconds_total", "CPU time of the server process or of all workers.", "role"
)
WORKERS: Final = _gauge("cartino_workers", "Worker processes, wanted or ready.", "state")
WORKERS_LOST: Final = _counter("cartino_workers_lost_total", "Worker processes that ended unexpectedly.")
START_TIME: Final = _gauge("cartino_start_time_seconds", "When the server started, since 1970.")
BUILD_INFO: Final = _gauge(
    "cartino_build_info", "Always 1; what runs is in the labels.", "version", "protocol"
)
