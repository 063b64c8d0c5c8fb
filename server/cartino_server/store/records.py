"""The records of finished games, a file each, in the data directory."""

import os
from collections.abc import Sequence
from pathlib import Path

from cartino_protocol.records import EndLine, RecordLine, write_lines

FOLDER = "records"


def keep_record(data: Path, code: str, record: Sequence[RecordLine]) -> Path:
    """Write `record`, which has its end, of the table `code` into the data directory `data`; the file.

    It is named after the time of its end and the table, is there whole or not at all, and never replaces another.
    Raises OSError.
    """
    folder = data / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    end = record[-1]
    when = end.ended.replace("-", "").replace(":", "") if isinstance(end, EndLine) else "unfinished"
    half = folder / f".{when}-{code}"
    half.write_bytes(write_lines(record))
    count = 1
    while True:
        path = folder / (f"{when}-{code}.jsonl" if count == 1 else f"{when}-{code}-{count}.jsonl")
        try:
            os.link(half, path)
        except FileExistsError:
            count += 1
        else:
            half.unlink()
            return path
