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

# What people do.

SESSIONS: Final = REGISTRY.gauge(
    "cartino_sessions",
    "Sessions that run now, by how they are met: screen, lines, native or answer.",
    "kind",
    by_process=True,
)
SESSIONS_STARTED: Final = REGISTRY.counter(
    "cartino_sessions_begun_total", "Sessions that have begun.", "kind"
)
PEOPLE: Final = REGISTRY.gauge("cartino_people", "Persons in the house now, guests among them.")
TABLES: Final = REGISTRY.gauge(
    "cartino_tables", "Tables now, by their state: open, playing or finished.", "state"
)
MAX_TABLES: Final = REGISTRY.gauge("cartino_max_tables", "Tables that there may be at once.")
TABLES_EVICTED: Final = REGISTRY.counter(
    "cartino_tables_evicted_total", "Tables at which nobody was that were closed for others."
)
GAMES: Final = REGISTRY.gauge("cartino_games", "Games that run now.", "game")
GAMES_STARTED: Final = REGISTRY.counter("cartino_games_begun_total", "Games that were dealt.", "game")
GAMES_ENDED: Final = REGISTRY.counter(
    "cartino_games_over_total", "Games that came to an end.", "game", "reason"
)
GAMES_NOT_STORED: Final = REGISTRY.counter(
    "cartino_games_not_stored_total",
    "Finished games that were not kept, for their players had too many that day.",
)
MOVES: Final = REGISTRY.counter(
    "cartino_moves_total", "Moves that were made and saved, the bots' too.", "game"
)

# What they have to wait for.

KEY_TO_FRAME: Final = REGISTRY.histogram(
    "cartino_key_to_frame_seconds",
    "From a key's bytes to those of the frame it draws by itself; what the house has to answer is no part of it.",
    _SCREEN_BUCKETS,
)
COMMAND_TO_COMMIT: Final = REGISTRY.histogram(
    "cartino_command_to_commit_seconds",
    "From a command's arrival at its table until what it changed is on disk, and told.",
    _SCREEN_BUCKETS,
)
BOT_MOVE_TIME: Final = REGISTRY.histogram(
    "cartino_bot_choice_seconds",
    "What a bot takes to choose, waiting for its turn to think included.",
    _SCREEN_BUCKETS,
    "bot",
)

# What keeps them out, or ends them.

REFUSALS: Final = REGISTRY.counter(
    "cartino_refusals_total", "Commands that were refused, by the protocol's reasons.", "reason"
)
CONNECTIONS_REFUSED: Final = REGISTRY.counter(
    "cartino_connections_refused_total", "Connections that were not let in, by which limit.", "kind"
)
CONNECTIONS_CLOSED: Final = REGISTRY.counter(
    "cartino_connections_over_total", "Connections that have ended, by how they did.", "why"
)
LIMITS_ENFORCED: Final = REGISTRY.counter(
    "cartino_limits_enforced_total", "Sessions, channels and requests that a limit ended or refused.", "kind"
)
CRASHES: Final = REGISTRY.counter(
    "cartino_crashes_total", "Sessions, tables and tasks that a defect ended, each for itself.", "where"
)
LOG_LINES_LOST: Final = REGISTRY.counter(
    "cartino_log_lines_lost_total", "Log lines for which there was no room, since nobody read those before."
)

# The journal.

JOURNAL_QUEUE: Final = REGISTRY.gauge(
    "cartino_journal_queue_tasks", "What waits to be written to the journal."
)
JOURNAL_TASKS: Final = REGISTRY.counter("cartino_journal_tasks_total", "What was written to the journal.")
JOURNAL_COMMIT: Final = REGISTRY.histogram(
    "cartino_journal_commit_seconds", "What a commit takes, of all that waited for it.", _DISK_BUCKETS
)
DATA_BYTES: Final = REGISTRY.gauge("cartino_data_bytes", "What the journal and the register take on disk.")
GAMES_STORED: Final = REGISTRY.gauge("cartino_stored_games", "Finished games that are kept, packed.")
GAMES_PRUNED: Final = REGISTRY.counter(
    "cartino_games_pruned_total", "Finished games that were removed since their time was over."
)
DISK_FREE: Final = REGISTRY.gauge("cartino_disk_free_bytes", "What is free where the data are.")

DAMAGED_RECORDS: Final = REGISTRY.gauge(
    "cartino_damaged_records",
    "Games, or the register, that the weekly proof of all data found damaged on disk.",
    "kind",
)
LAST_VERIFIED: Final = REGISTRY.gauge(
    "cartino_verified_time_seconds", "When all data on disk were last proved, since 1970; 0 for never."
)

# The machine.

RECEIVED_BYTES: Final = REGISTRY.counter(
    "cartino_received_bytes_total", "What sessions typed or said, before encryption."
)
SENT_BYTES: Final = REGISTRY.counter(
    "cartino_sent_bytes_total", "What sessions were sent, before encryption."
)
LOOP_LAG: Final = REGISTRY.histogram(
    "cartino_loop_lag_seconds",
    "How late an event loop does what is due, of the house or of a worker.",
    _LAG_BUCKETS,
    "role",
)
LOOP_LAG_MAX: Final = REGISTRY.gauge(
    "cartino_loop_lag_max_seconds",
    "The most that an event loop was late in the last seconds.",
    by_process=True,
)
RESIDENT_MEMORY: Final = REGISTRY.gauge("cartino_resident_memory_bytes", "Resident memory.", by_process=True)
CPU_SECONDS: Final = REGISTRY.counter(
    "cartino_cpu_seconds_total", "Time on a core, of the house or of all workers.", "role"
)
WORKERS: Final = REGISTRY.gauge(
    "cartino_workers", "Worker processes, by whether they are wanted or ready.", "state"
)
WORKERS_LOST: Final = REGISTRY.counter("cartino_workers_lost_total", "Worker processes that ended untold.")
START_TIME: Final = REGISTRY.gauge("cartino_start_time_seconds", "When the house was opened, since 1970.")
BUILD_INFO: Final = REGISTRY.gauge(
    "cartino_build_info", "Always 1; what runs is in the labels.", "version", "protocol"
)
