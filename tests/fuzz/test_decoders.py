"""No input makes a decoder raise an undeclared error. `make soak` sends many new inputs."""

from contextlib import nullcontext
from itertools import chain
from secrets import randbits
from typing import Final, get_args

import pytest

from cartino_protocol.commands import Command
from cartino_server.workers.messages import ServerMessage, WorkerMessage
from tests.fuzz.attacking import Broken, Decoder, attack
from tests.fuzz.decoders import records, server, settings, terminal, texts, wire

MODULES = (wire, records, texts, settings, terminal, server)
DECODERS: Final[dict[str, Decoder]] = {
    decoder.name: decoder for decoder in chain.from_iterable(module.DECODERS for module in MODULES)
}
INPUTS = 800
MANY = 100_000
"""Inputs of a long run. They are new ones each time, so that runs add up."""


@pytest.fixture(params=DECODERS)
def decoder(request: pytest.FixtureRequest) -> Decoder:
    return DECODERS[request.param]


def test_hostile_inputs_are_refused_as_promised_and_honest_ones_taken(decoder: Decoder) -> None:
    """Were no honest one taken, all others would be refused for the same reason, and nothing behind it be tried."""
    with decoder.open() as run:
        taken = [run(bytes(seed)) for seed in decoder.seeds]
    assert any(taken)
    inputs = INPUTS // decoder.slow_for
    assert 0 < attack(decoder, inputs) < inputs, "some change nothing that counts, and some do"


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_new_hostile_inputs_are_refused_as_promised(decoder: Decoder, long_run: bool) -> None:
    first = INPUTS + (randbits(40) if long_run else 0)
    assert attack(decoder, (MANY if long_run else INPUTS) // decoder.slow_for, first)


def test_there_is_an_honest_input_of_each_kind() -> None:
    for kinds, seeds in (
        (Command, wire.COMMANDS),
        (ServerMessage, server.OF_SERVER),
        (WorkerMessage, server.OF_WORKER),
    ):
        assert set(get_args(kinds)) == {type(seed) for seed in seeds}


def test_a_decoder_that_breaks_is_found() -> None:
    def fragile(data: bytes) -> bool:
        if b"\xed\xa0\x80" in data:
            raise ZeroDivisionError
        return True

    weak = Decoder("weak", (b"\x81\xa1t\xa1x",), lambda: nullcontext(fragile), "msgpack")
    with pytest.raises(Broken, match="weak breaks at input") as broken:
        attack(weak, INPUTS)
    assert b"\xed\xa0\x80" in broken.value.data
    assert isinstance(broken.value.__cause__, ZeroDivisionError)
