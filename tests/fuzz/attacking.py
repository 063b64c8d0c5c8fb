"""What a decoder is to an attacker, and how many hostile inputs are thrown at it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from random import Random

import msgspec

from tests.fuzz.mutating import Form, Mutator

Run = Callable[[bytes], bool]
"""Whether an input was taken; False where it was refused as the decoder says it refuses. What it raises is a defect."""


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


class Broken(Exception):
    """A decoder raised what it does not say that it raises, at `data`."""

    def __init__(self, name: str, seed: int, data: bytes) -> None:
        """`seed` is the number that the input came from."""
        super().__init__(f"{name} breaks at input {seed}: {data[:2000]!r}")
        self.data = data


def attack(decoder: Decoder, inputs: int, first: int = 0) -> int:
    """Throw the inputs number `first` and so on at `decoder`; how many were taken. Raises Broken."""
    mutator = Mutator(decoder.seeds, decoder.form, decoder.words, decoder.most)
    taken = 0
    with decoder.open() as run:
        for seed in range(first, first + inputs):
            data = mutator.make(Random(seed))
            try:
                taken += run(data)
            except Exception as error:
                raise Broken(decoder.name, seed, data) from error
    return taken
