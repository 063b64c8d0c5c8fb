"""What a server's log says of connections, in lines for people or in JSON; each connection has a number."""

import json
import re
from typing import NamedTuple

_LINE = re.compile(r"\S+ \[\w+ *\] (?P<event>.*?) *(?P<fields>(?: \w+=(?:'[^']*'|\"[^\"]*\"|\S*))*)")
_FIELD = re.compile(r"(\w+)=('[^']*'|\"[^\"]*\"|\S*)")
_GONE = {"left", "did not come in"}
_COME = {"came in", "was refused"}


class Logged(NamedTuple):
    """One line: what happened, and what is told of it, each as text."""

    event: str
    fields: dict[str, str]


class Connections(NamedTuple):
    """The numbers of connections: of those that logged in, also where nobody was let in then, and that have left."""

    came: set[str]
    left: set[str]

    @property
    def here(self) -> set[str]:
        """Those that have not left."""
        return self.came - self.left


def lines(log: str) -> list[Logged]:
    """The lines of `log` that are whole, without those that tell nothing of an event."""
    return [line for line in map(_read, log.splitlines(keepends=True)) if line is not None]


def connections(log: str, peer: str = "") -> Connections:
    """All connections in `log`, or those from the address `peer`.

    The log is one server's, from its start on, to whom fewer than five hundred came in a minute: of more it tells sums.
    """
    found = Connections(set(), set())
    for event, fields in lines(log):
        if "connection" in fields and (not peer or fields.get("peer") == peer):
            if event in _COME:
                found.came.add(fields["connection"])
            elif event in _GONE:
                found.left.add(fields["connection"])
    return found


def _read(line: str) -> Logged | None:
    if not line.endswith("\n"):
        return None
    if line.startswith("{"):
        told = {name: str(value) for name, value in json.loads(line).items()}
        return Logged(told.pop("event", ""), told)
    found = _LINE.fullmatch(line.rstrip("\n"))
    if found is None:
        return None
    return Logged(
        found["event"], {name: value.strip("'\"") for name, value in _FIELD.findall(found["fields"])}
    )
