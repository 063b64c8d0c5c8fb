import subprocess
import sys

SCRIPT = """
import gc
from cartino_server.app.process_control import tune_garbage_collector
tune_garbage_collector()
print(gc.get_freeze_count() > 0, gc.get_threshold()[0])
"""


def test_what_was_there_before_the_first_session_is_never_looked_at_again() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    frozen, threshold = done.stdout.split()
    assert frozen == "True"
    assert int(threshold) > 700
