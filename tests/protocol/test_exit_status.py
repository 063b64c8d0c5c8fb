"""Exit statuses: the one table that help, the man page and every command use."""

import re
from pathlib import Path

from cartino_protocol import exit_status
from cartino_protocol.exit_status import (
    BROKEN_OFF,
    EXIT_STATUSES,
    FAILURE,
    MISUSE,
    NOT_FOUND,
    REFUSED,
    SIGNALLED,
    TOO_MANY,
    refusal_status,
)
from cartino_protocol.refusals import REFUSALS, RefusalReason
from cartino_server.commands.registry import exit_status_help
from cartino_tui.i18n import ENGLISH


def test_every_refusal_has_one_status_that_is_no_success_or_usage_error() -> None:
    reasons: list[RefusalReason] = ["illegal", "unknown-code", "busy", "table-broke", "too-many-matches"]
    assert list(map(refusal_status, reasons)) == [REFUSED, NOT_FOUND, TOO_MANY, FAILURE, REFUSED]
    assert {refusal_status(reason) for reason in REFUSALS} == {FAILURE, REFUSED, NOT_FOUND, TOO_MANY}


def test_every_status_is_explained_once_and_has_its_own_number() -> None:
    named = [value for name, value in vars(exit_status).items() if name.isupper() and isinstance(value, int)]
    assert sorted(EXIT_STATUSES) == sorted(named)
    assert len(set(EXIT_STATUSES.values())) == len(EXIT_STATUSES)


def test_help_explains_what_commands_over_ssh_return() -> None:
    said = exit_status_help(ENGLISH)
    assert [int(code) for code in re.findall(r"\b\d+\b", said)] == [
        code for code in EXIT_STATUSES if code < SIGNALLED
    ]
    assert f"{MISUSE} usage error" in said
    assert f"{BROKEN_OFF} interrupted by the server" in said


def test_the_man_page_has_them_all() -> None:
    page = (Path(__file__).parents[2] / "share/man/man1/cartino.1").read_text()
    section = page.partition(".SH EXIT STATUS")[2].partition(".SH ")[0]
    assert [int(code) for code in re.findall(r"\\fB\\&(\d+)", section)] == list(EXIT_STATUSES)
