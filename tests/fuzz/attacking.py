"""What a decoder is to an attacker, and how many hostile inputs are thrown at it."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Final

import msgspec

from tests.fuzz.mutating import Form, Mutator

Run = Callable[[bytes], bool]
"""Whether an input was taken; False where it was refused as the decoder says it refuses. What it raises is a defect."""

SLOW: Final = 0.05
"""Seconds of work; what takes a decoder longer, each time that it is tried, is reported."""
_TRIES: Final = 3


class Decoder(msgspec.Struct, frozen=True):
    """Something that reads what strangers send.

    `seeds` are honest inputs, and `words` pieces that mean something to it. `open` gives what reads an input, with
    all that it needs around it. Inputs have `most` bytes: for what is slow by the byte, fewer. What does so much more
    than decode that it is `slow_for` so many gets that much fewer of them.
    """

    name: str
    seeds: Sequence[bytes]
    open: Callable[[], AbstractContextManager[Run]]
    form: Form = "bytes"
    words: Sequence[bytes] = ()
    most: int = 16_384
    slow_for: int = 1

    def mutator(self) -> Mutator:
        """What makes hostile inputs for it."""
        return Mutator(self.seeds, self.form, self.words, self.most)


def plain_decoder(
    run: Run,
    seeds: Sequence[bytes],
    *words: bytes,
    form: Form = "bytes",
    most: int = 16_384,
    slow_for: int = 1,
) -> Decoder:
    """A decoder that needs nothing around it, named like the function `run`."""
    return Decoder(run.__name__, seeds, lambda: nullcontext(run), form, words, most, slow_for)


class Report(msgspec.Struct):
    """What became of so many inputs; `slow` are those that took long, with the seconds."""

    name: str
    taken: int = 0
    refused: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slow: list[tuple[float, bytes]] = []

    def __str__(self) -> str:
        """A line for people."""
        total = self.taken + self.refused
        return (
            f"{self.name:<12} {total:>9,} inputs  {self.taken:>9,} taken  {self.refused:>9,} refused  "
            f"{self.seconds:8.1f} s  slowest {self.slowest * 1000:6.1f} ms  {len(self.slow)} slow"
        )


class Broken(Exception):
    """A decoder raised what it does not say that it raises, at `data`."""

    def __init__(self, name: str, seed: int, data: bytes) -> None:
        """`seed` is the number that the input came from."""
        super().__init__(f"{name} breaks at input {seed}: {data[:2000]!r}")
        self.data = data


def attack(decoder: Decoder, inputs: int, first: int = 0) -> Report:
    """Throw the inputs number `first` and so on at `decoder`. Raises Broken."""
    report, mutator = Report(decoder.name), decoder.mutator()
    slow = SLOW * decoder.slow_for
    began = time.process_time()
    with decoder.open() as run:

        def timed(data: bytes) -> float:
            before = time.process_time()
            run(data)
            return time.process_time() - before

        for seed in range(first, first + inputs):
            data = mutator.make(Random(seed))
            before = time.process_time()
            try:
                taken = run(data)
            except Exception as error:
                raise Broken(decoder.name, seed, data) from error
            took = time.process_time() - before
            report.taken += taken
            report.refused += not taken
            if took > report.slowest or took > slow:
                # The first time may have filled a cache.
                took = min(took, *(timed(data) for _ in range(_TRIES)))
                report.slowest = max(report.slowest, took)
                if took > slow:
                    report.slow.append((took, data))
    report.seconds = time.process_time() - began
    return report
