"""Sends hostile inputs to the decoders: `python -m tests.fuzz --help`."""

import argparse
import sys
from pathlib import Path

from tests.fuzz.attacking import Broken, attack


def main() -> int:
    """Attack, and print a line for each decoder; 1 where one is broken."""
    # As pytest's own setting has it: one decoder reads the views of this game.
    sys.path.append(str(Path(__file__).parents[2] / "examples/crazy-eights"))
    from tests.fuzz.test_decoders import DECODERS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="DECODER", help=f"all of them, or: {' '.join(DECODERS)}")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="for each decoder (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input (%(default)s)")
    chosen = parser.parse_args()
    status = 0
    for name in chosen.names or DECODERS:
        if name not in DECODERS:
            parser.error(f"there is no decoder {name}")
        decoder = DECODERS[name]
        try:
            report = attack(decoder, chosen.inputs // decoder.slow_for, chosen.first)
        except Broken as broken:
            print(f"{broken}\n  {broken.__cause__!r}", flush=True)
            status = 1
            continue
        print(report, flush=True)
        for took, data in sorted(report.slow, reverse=True)[:5]:
            print(f"  {took * 1000:.0f} ms: {len(data)} bytes {data[:200]!r}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
