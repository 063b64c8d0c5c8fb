"""No input makes a decoder raise an undeclared error. `python -m tests.fuzz` sends more inputs."""

import subprocess
import sys
from random import Random
from secrets import randbits
from typing import get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cartino_protocol.commands import Command
from cartino_server.workers.messages import ServerMessage, WorkerMessage
from tests.fuzz.attacking import Broken, Decoder, Run, attack, plainly
from tests.fuzz.decoders.server import OF_SERVER, OF_WORKER
from tests.fuzz.decoders.wire import COMMANDS
from tests.fuzz.every import DECODERS

INPUTS = 800
EXAMPLES = 100
MANY = 100_000
"""Inputs of a long run. They are new ones each time, so that runs add up."""


@pytest.fixture(params=DECODERS)
def decoder(request: pytest.FixtureRequest) -> Decoder:
    return DECODERS[request.param]


def test_honest_inputs_are_taken(decoder: Decoder) -> None:
    """Else all that comes of them would be refused for the same reason, and nothing behind it be tried."""
    with decoder.open() as run:
        taken = [run(bytes(seed)) for seed in decoder.seeds]
    assert any(taken)


def test_hostile_inputs_are_refused_as_promised(decoder: Decoder) -> None:
    inputs = INPUTS // decoder.slow_for
    report = attack(decoder, inputs)
    assert report.taken + report.refused == inputs
    assert report.taken, "some change nothing that counts"
    assert report.refused, "and some do"


def test_what_hypothesis_thinks_of_is_refused_as_promised(decoder: Decoder) -> None:
    """What it finds is made as short as it can be."""
    mutator = decoder.mutator()

    @given(st.binary(max_size=400) | st.integers(0, 1 << 40).map(lambda seed: mutator.make(Random(seed))))
    @example(b"")
    @settings(
        max_examples=EXAMPLES // decoder.slow_for,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def thinks(run: Run, data: bytes) -> None:
        run(data)

    with decoder.open() as run:
        thinks(run)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_new_hostile_inputs_are_refused_as_promised(decoder: Decoder, long_run: bool) -> None:
    inputs = (MANY if long_run else INPUTS) // decoder.slow_for
    report = attack(decoder, inputs, first=INPUTS + (randbits(40) if long_run else 0))
    print(f"\n{report}", *report.slow[:5], sep="\n")
    assert report.taken + report.refused == inputs


def test_the_program_runs_and_counts_its_inputs() -> None:
    words = [sys.executable, "-m", "tests.fuzz", "commands", "--inputs", "20", "--first", "1000"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split()[:3] == ["commands", "20", "inputs"]


def test_there_is_an_honest_input_of_each_kind() -> None:
    for kinds, seeds in ((Command, COMMANDS), (ServerMessage, OF_SERVER), (WorkerMessage, OF_WORKER)):
        assert set(get_args(kinds)) == {type(seed) for seed in seeds}


def test_a_decoder_that_breaks_is_found() -> None:
    def fragile(data: bytes) -> bool:
        if b"\xed\xa0\x80" in data:
            raise ZeroDivisionError
        return True

    weak = Decoder("weak", (b"\x81\xa1t\xa1x",), plainly(fragile), "msgpack")
    with pytest.raises(Broken, match="weak breaks at input") as broken:
        attack(weak, INPUTS)
    assert b"\xed\xa0\x80" in broken.value.data
    assert isinstance(broken.value.__cause__, ZeroDivisionError)
