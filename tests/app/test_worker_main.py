"""A worker loads what draws, and nothing of the server."""

import subprocess
import sys


def loaded(module: str) -> set[str]:
    script = f"import sys, {module}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_worker_knows_neither_tables_nor_store() -> None:
    modules = loaded("cartino_server.app.worker_runtime")
    assert {"textual", "asyncssh", "cartino_server.workers.remote_server"} <= modules
    strange = (
        "apsw",
        "sqlite3",
        "cartino_server.lobby",
        "cartino_server.table",
        "cartino_server.store",
        "cartino_engine.runner",
    )
    assert [name for name in modules if name.startswith(strange)] == []


def test_it_begins_with_little_so_that_signals_are_soon_ignored() -> None:
    modules = loaded("cartino_server.app.worker_main")
    assert "asyncio" not in modules
    assert [name for name in modules if name.startswith("cartino")] == [
        name for name in modules if name.split(".")[:2] in (["cartino_server"], ["cartino_server", "app"])
    ]


def test_a_server_with_workers_draws_nothing_itself() -> None:
    assert "textual" not in loaded("cartino_server.app.serving")
