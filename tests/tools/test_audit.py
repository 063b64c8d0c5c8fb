"""The audit of the locked packages: it never calls clean what it could not ask about."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import audit

ROOT = Path(audit.__file__).parent.parent


@pytest.fixture
def advisories() -> Iterator[tuple[str, dict[str, bytes]]]:
    """An address that answers with what stands under "body"."""
    told = {"body": b"{}"}

    class Telling(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(told["body"])

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Telling) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", told
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("body", "answers"),
    [
        (b'{"vulnerabilities": [{"id": "PYSEC-1"}]}', True),
        (b'{"vulnerabilities": []}', False),
        (b"{}", False),
        (b"<html>", False),
    ],
)
def test_only_who_tells_of_a_known_fault_was_asked(
    advisories: tuple[str, dict[str, bytes]], body: bytes, answers: bool
) -> None:
    address, told = advisories
    told["body"] = body
    assert audit.advisories_answer(address) is answers


def test_nobody_there_is_no_answer() -> None:
    assert not audit.advisories_answer("http://127.0.0.1:9/")


def test_what_could_not_be_asked_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "advisories_answer", lambda: False)
    assert audit.main([]) == 0
    assert "nothing was audited" in capsys.readouterr().out
    assert audit.main(["--required"]) == 1


def test_one_bad_lock_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "advisories_answer", lambda: True)
    monkeypatch.setattr(audit, "audit", lambda lock: int(lock.name == "build.lock"))
    assert audit.main([]) == 1
    monkeypatch.setattr(audit, "audit", lambda lock: 0)
    assert audit.main([]) == 0


@pytest.mark.parametrize("lock", audit.LOCKS)
def test_every_locked_package_has_its_hashes(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text()
    packages = [part for part in text.replace("\\\n", " ").splitlines() if "==" in part.partition("#")[0]]
    assert packages
    assert all("--hash=sha256:" in package for package in packages)


def test_the_ssh_library_is_one_without_known_holes() -> None:
    """Older ones let strangers in the middle reorder what is said, or sign for others."""
    assert "asyncssh[bcrypt]>=2.24.1" in (ROOT / "pyproject.toml").read_text()
