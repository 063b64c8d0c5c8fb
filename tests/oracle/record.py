"""What the records of all games have in common, read a second time; shares no code with the engine.

A program for one game gives its `Game` and its `FIELDS`: `name:kind` for each field of each type of line, with a
question mark behind the name where the field is there only sometimes.
"""

import hashlib
import hmac
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

Line = dict[str, Any]
Thing = TypeVar("Thing")

_FIELDS = {
    "game": "format:int game:str options:dict seats:strs commitment:str cuts:strs started:str",
    "end": "totals:ints winners:ints reason:str seed:str ended:str",
    "note": "text:str seat?:int",
}


def need(fine: bool, why: str) -> None:
    """Stops unless it is fine; whatever is wrong with a record is a ValueError."""
    if not fine:
        raise ValueError(why)


def has_kind(value: Any, kind: str) -> bool:
    """Tells whether a field holds what it should: true is no number, 5.0 no whole one."""
    if kind in ("ints", "strs"):
        return isinstance(value, list) and all(has_kind(one, kind[:-1]) for one in value)
    return type(value).__name__ == kind


def no_doubles(pairs: list[tuple[str, Any]]) -> Line:
    """Makes an object of its fields, unless a field is there twice."""
    need(len(dict(pairs)) == len(pairs), "a field stands twice in one object")
    return dict(pairs)


def read_line(text: str, own: Mapping[str, str]) -> Line:
    """Reads one line and checks which fields it has, and of what kind; `own` are those of the game's own lines."""
    line: Any = json.loads(text, object_pairs_hook=no_doubles)
    need(isinstance(line, dict) and next(iter(line), None) == "type", "no object with `type` first")
    kind, fields = line["type"], {**_FIELDS, **own}
    need(isinstance(kind, str) and kind in fields, f"unknown type {kind!r}")
    left = {name: value for name, value in line.items() if name != "type"}
    for field in fields[kind].split():
        name, what = field.split(":")
        may_lack, name = name.endswith("?"), name.removesuffix("?")
        if may_lack and left.get(name) is None:
            need(name not in left or kind == "note", f"{name} is null")
            left.pop(name, None)
            continue
        need(name in left, f"no {name}")
        need(has_kind(left[name], what), f"{name} is {left[name]!r}")
        del left[name]
    need(not left, f"fields that don't belong here: {sorted(left)}")
    return dict(line)


def check_hex(text: str, what: str) -> bytes:
    """Reads 32 bytes in hex."""
    need(re.fullmatch(r"[0-9a-fA-F]{64}", text) is not None, f"{what} is not 32 bytes in hex")
    return bytes.fromhex(text)


def check_time(text: str, what: str) -> None:
    """Checks a moment in UTC, as RFC 3339 writes it."""
    shape = r"[0-9]{4}-[0-9][0-9]-[0-9][0-9][Tt ][0-9][0-9]:[0-9][0-9]:[0-9][0-9](\.[0-9]+)?([Zz]|\+00:00)"
    need(re.fullmatch(shape, text) is not None, f"{what} is not RFC 3339 in UTC: {text}")
    datetime.fromisoformat(text[:19].upper())


def shuffled(things: Sequence[Thing], seed: bytes, text: str) -> list[Thing]:
    """Puts things in the order of their keys; `text` is what stands before the number of each."""
    keys = [hmac.digest(seed, (text + str(i)).encode(), "sha256") for i in range(len(things))]
    return [things[i] for i in sorted(range(len(things)), key=lambda i: keys[i])]


class Game(ABC):
    """One game as far as the lines of its record have told it; a game for 2 to 4 players."""

    name: str
    options: Mapping[str, Sequence[str]]
    absent: Mapping[str, str] = {}
    """What older records mean that lack an option."""

    def __init__(self, first: Line, seed_hex: str | None) -> None:
        """Reads the first line; the seed is not known while a game runs."""
        need(first["type"] == "game", "the first line is not `game`")
        need(first["format"] == 1 and first["game"] == self.name, f"not a record of {self.name}, format 1")
        self.chosen: dict[str, str] = {**self.absent, **first["options"]}
        need(set(self.chosen) == set(self.options), f"the options are {sorted(self.chosen)}")
        for name, choices in self.options.items():
            need(self.chosen[name] in choices, f"{name} is {self.chosen[name]!r}")
        self.seats, self.cuts = len(first["seats"]), "\n".join(first["cuts"])
        need(2 <= self.seats <= 4, f"{self.seats} players")
        need(len(first["cuts"]) == self.seats, "not one cut a seat")
        check_time(first["started"], "started")
        commitment = check_hex(first["commitment"], "commitment")
        self.seed: bytes | None = None
        if seed_hex is not None:
            self.seed = check_hex(seed_hex, "the seed of `end`")
            promised = hashlib.sha256(self.seed).digest() == commitment
            need(promised, "the seed of `end` does not fit the commitment")
        self.totals = [0] * self.seats
        self.ended = False

    def play(self, line: Line) -> None:
        """Plays one line."""
        need(not self.ended, "a line after `end`")
        if line.get("seat") is not None:
            need(0 <= line["seat"] < self.seats, f"no seat {line['seat']}")
        need(line["type"] != "game", "the first line appears twice")
        if line["type"] == "end":
            self.end(line)
        elif line["type"] != "note":
            self.step(line)

    @abstractmethod
    def step(self, line: Line) -> None:
        """Plays a line of the game's own."""

    @abstractmethod
    def need_running(self) -> None:
        """Stops unless the game could stand open just here."""

    @abstractmethod
    def reason(self) -> str | None:
        """Says why the game is over; None while it is not."""

    def end(self, line: Line) -> None:
        """Ends the game; the seed has been looked at before the first line."""
        check_time(line["ended"], "ended")
        winners = [seat for seat in range(self.seats) if self.totals[seat] == max(self.totals)]
        if line["reason"] == "abandoned":
            self.need_running()
            winners = []
        else:
            reason = self.reason()
            need(reason is not None, "the game is not over")
            need(line["reason"] == reason, f"the reason is {reason}")
        need(line["totals"] == self.totals, f"the totals are {self.totals}, not {line['totals']}")
        need(sorted(line["winners"]) == winners, f"the winners are {winners}, not {line['winners']}")
        self.ended = True


def check_record(
    lines: list[str], own: Mapping[str, str], begin: Callable[[Line, str | None], Game]
) -> tuple[int, str] | None:
    """Checks a record; says the first line that is wrong, counted from 1, and why."""
    number = 0
    read: list[Line] = []
    try:
        for text in lines:
            number += 1
            read.append(read_line(text, own))
        number = 1
        need(bool(read), "an empty record")
        game = begin(read[0], read[-1].get("seed"))
        for line in read[1:]:
            number += 1
            game.play(line)
        if not game.ended:
            game.need_running()
    except ValueError as error:
        return number, str(error)
    return None


def main(files: list[str], check: Callable[[list[str]], tuple[int, str] | None]) -> int:
    """Checks files and says `FILE: ok` or `FILE:LINE: why` for each; 1 if anything is wrong."""
    status = 0
    for name in files:
        try:
            found = check(Path(name).read_bytes().decode().removesuffix("\n").split("\n"))
        except UnicodeDecodeError:
            found = (1, "not UTF-8")
        print(f"{name}: ok" if found is None else f"{name}:{found[0]}: {found[1]}")
        status = status if found is None else 1
    return status
