"""Which errors a journal survives, and which it must not."""

import errno

import apsw
import pytest

from cartino_server.store.database import is_corrupt, transient_error


@pytest.mark.parametrize(
    ("code", "system"),
    [
        (apsw.SQLITE_FULL, 0),
        (apsw.SQLITE_BUSY, 0),
        (apsw.SQLITE_BUSY_SNAPSHOT, 0),
        (apsw.SQLITE_NOMEM, 0),
        (apsw.SQLITE_IOERR_NOMEM, 0),
        (apsw.SQLITE_IOERR_GETTEMPPATH, 0),
        (apsw.SQLITE_IOERR_SHMSIZE, 0),
        (apsw.SQLITE_TOOBIG, 0),
        (apsw.SQLITE_IOERR_WRITE, errno.ENOSPC),
        (apsw.SQLITE_IOERR_WRITE, errno.EDQUOT),
        (apsw.SQLITE_IOERR_WRITE, errno.EFBIG),
    ],
)
def test_no_room_and_no_time_pass(code: int, system: int) -> None:
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    assert transient_error(error, system) is not None
    assert not is_corrupt(error)


@pytest.mark.parametrize(
    "code",
    [
        apsw.SQLITE_IOERR_FSYNC,
        apsw.SQLITE_IOERR_DIR_FSYNC,
        apsw.SQLITE_IOERR_READ,
        apsw.SQLITE_IOERR_WRITE,
        apsw.SQLITE_IOERR,
        apsw.SQLITE_CORRUPT,
        apsw.SQLITE_CORRUPT_INDEX,
        apsw.SQLITE_NOTADB,
        apsw.SQLITE_READONLY,
        apsw.SQLITE_CONSTRAINT_PRIMARYKEY,
        apsw.SQLITE_ERROR,
    ],
)
def test_everything_else_ends_the_journal(code: int) -> None:
    error = apsw.exception_for(code)
    assert isinstance(error, apsw.Error)
    assert transient_error(error, errno.EIO) is None
    # A number that an earlier error left behind means nothing but for a failed write.
    assert (transient_error(error, errno.ENOSPC) is None) == (code != apsw.SQLITE_IOERR_WRITE)
    assert is_corrupt(error) == (code & 0xFF in {apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB})


def test_an_error_of_the_binding_itself_ends_it_too() -> None:
    assert transient_error(apsw.ThreadingViolationError("two at once"), errno.ENOSPC) is None
    assert not is_corrupt(apsw.ThreadingViolationError("two at once"))
