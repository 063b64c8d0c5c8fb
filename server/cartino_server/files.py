"""Read files of any kind with a bound on their size."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

_PIECE_BYTES: Final = 1 << 20
_NOT_REGULAR: Final = "not a regular file"


def read_file(path: Path, most: int, *, pipes: bool = False) -> bytes:
    """Return the content of `path`. Raises OSError, also beyond `most` bytes.

    Only with `pipes` it may be a pipe or a device, and then this may wait for them.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if pipes else os.O_NONBLOCK))
    with open(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not pipes and not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, _NOT_REGULAR)
        try:
            return read_stream(file, most)
        except OSError as error:
            if error.errno == errno.EFBIG and stat.S_ISCHR(mode):
                # A device without an end, such as /dev/zero.
                raise OSError(errno.EINVAL, _NOT_REGULAR) from None
            raise


def read_stream(stream: BinaryIO, most: int) -> bytes:
    """Return what is left of `stream`. Raises OSError, also beyond `most` bytes."""
    content = bytearray()
    while piece := stream.read(_PIECE_BYTES):
        content += piece
        if len(content) > most:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return bytes(content)
