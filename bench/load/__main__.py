"""`python -m bench.load PORT COLUMNS LINES ALIKE`: carry out orders from standard input."""

import asyncio
import sys
from typing import Final

import asyncssh
import msgspec

from bench.load.crowd import gathering
from bench.load.orders import Answer, Failed, Order
from bench.server import BenchError, MeasuredServer

LONGEST: Final = 1 << 16
_ORDERS: Final[msgspec.json.Decoder[Order]] = msgspec.json.Decoder(Order)


async def _carry_out(server: MeasuredServer, size: tuple[int, int]) -> None:
    """Carry out orders until no more come."""
    lines = asyncio.StreamReader(limit=LONGEST)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with gathering(server, size) as crowd:
        while line := await lines.readline():
            order = _ORDERS.decode(line)
            try:
                answer: Answer = await crowd.carry_out(order)
            except (BenchError, asyncssh.Error, OSError) as error:
                answer = Failed(str(error) or type(error).__name__)
            sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    port, columns, lines, alike = map(int, sys.argv[1:])
    asyncio.run(_carry_out(MeasuredServer(0, port, alike=bool(alike)), (columns, lines)))
