"""A program in a worker's place, which gets ready and then does as it was told by the words for the door.

"answers": lives as it should; "hangs": hears nothing any more; "late": never gets ready; "noise": says what nobody
understands; "ends": ends at once; "counts": says what it has counted if it is metered; "miscounts": says what nobody
counts; anything else: greets whoever is handed to it first, and waits until they have gone.
"""

import os
import socket
import sys
import time

from cartino_protocol.wire import FrameReader, frame_bytes
from cartino_server.metrics.registry import Sample
from cartino_server.workers.messages import (
    Configure,
    ConnectionEnded,
    MetricsReport,
    Ping,
    Pong,
    ShutDown,
    WorkerReady,
    WorkerSetup,
    decode_server_message,
    encode_message,
)


def main(line: socket.socket, hands: socket.socket) -> None:
    frames = FrameReader()
    how = ""
    while data := line.recv(1 << 16):
        for message in map(decode_server_message, frames.feed(data)):
            match message:
                case WorkerSetup(configuration=Configure(connect_command=how), metered=metered):
                    _begin(line, hands, how, metered)
                case Ping() if how == "answers":
                    line.sendall(frame_bytes(encode_message(Pong())))
                case ShutDown():
                    return


def _begin(line: socket.socket, hands: socket.socket, how: str, metered: bool) -> None:
    if how == "ends":
        sys.exit(7)
    if how == "late":
        time.sleep(600)
    line.sendall(frame_bytes(encode_message(WorkerReady())))
    match how:
        case "hangs":
            time.sleep(600)
        case "noise":
            line.sendall(b"\xff" * 8)
            time.sleep(600)
        case "answers":
            pass
        case "counts" if metered:
            memory, sent = (
                Sample("cartino_resident_memory_bytes", (), 5),
                Sample("cartino_sent_bytes_total", (), 7),
            )
            line.sendall(frame_bytes(encode_message(MetricsReport((memory, sent)))))
        case "miscounts":
            line.sendall(frame_bytes(encode_message(MetricsReport((Sample("elsewhere_total", (), 5),)))))
        case _:
            note, (client,), _, _ = socket.recv_fds(hands, 56, 1)
            os.write(client, b"hello")
            os.read(client, 1)
            line.sendall(frame_bytes(encode_message(ConnectionEnded(int.from_bytes(note[:8]), "done"))))


if __name__ == "__main__":
    main(*(socket.socket(fileno=int(number)) for number in sys.argv[1:]))
