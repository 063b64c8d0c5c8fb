"""A program in a worker's place, which gets ready and then does as it was told by the words for the door.

"answers": lives as it should; "hangs": hears nothing any more; "late": never gets ready; "noise": says what nobody
understands; "ends": ends at once; "counts": says what it has counted; "miscounts": says what nobody counts; anything
else: greets whoever is handed to it first, and waits until they have gone.
"""

import os
import socket
import sys
import time

from cartino_protocol.framing import Frames, framed
from cartino_server.metering.meter import Reading
from cartino_server.workers.messages import (
    Begin,
    Close,
    Left,
    Measured,
    Ping,
    Pong,
    Ready,
    encode,
    read_house,
)


def main(line: socket.socket, hands: socket.socket) -> None:
    frames = Frames()
    how = ""
    while data := line.recv(1 << 16):
        for message in map(read_house, frames.feed(data)):
            match message:
                case Begin(door=how):
                    _begin(line, hands, how)
                case Ping() if how == "answers":
                    line.sendall(framed(encode(Pong())))
                case Close():
                    return


def _begin(line: socket.socket, hands: socket.socket, how: str) -> None:
    if how == "ends":
        sys.exit(7)
    if how == "late":
        time.sleep(600)
    line.sendall(framed(encode(Ready())))
    match how:
        case "hangs":
            time.sleep(600)
        case "noise":
            line.sendall(b"\xff" * 8)
            time.sleep(600)
        case "answers":
            pass
        case "counts":
            memory, sent = (
                Reading("cartino_resident_memory_bytes", (), 5),
                Reading("cartino_sent_bytes_total", (), 7),
            )
            line.sendall(framed(encode(Measured((memory, sent)))))
        case "miscounts":
            line.sendall(framed(encode(Measured((Reading("elsewhere_total", (), 5),)))))
        case _:
            note, (client,), _, _ = socket.recv_fds(hands, 56, 1)
            os.write(client, b"hello")
            os.read(client, 1)
            line.sendall(framed(encode(Left(int.from_bytes(note[:8]), "done"))))


if __name__ == "__main__":
    main(*(socket.socket(fileno=int(number)) for number in sys.argv[1:]))
