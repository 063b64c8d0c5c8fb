"""What people type and what comes back, in the files of `transcripts`; `tests/support/transcript.py` has the format."""

from pathlib import Path

import pytest

from tests.support.ssh_world import SshServer
from tests.support.transcript import run_transcript

pytestmark = pytest.mark.e2e
TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(ssh_server: SshServer, path: Path) -> None:
    run_transcript(path, ssh_server)
