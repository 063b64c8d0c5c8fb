"""What an error of SQLite means for the journal: nothing was saved this once, or it can't be trusted any more."""

import errno

import apsw

from cartino_server.store.port import NotSaved

# The disk is full, this moment's memory is, or a reader is in the way: what was tried is undone, and may work later.
_PASSING = frozenset({apsw.SQLITE_FULL, apsw.SQLITE_BUSY, apsw.SQLITE_NOMEM, apsw.SQLITE_TOOBIG})
_PASSING_IO = frozenset({apsw.SQLITE_IOERR_NOMEM, apsw.SQLITE_IOERR_SHMSIZE})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# Pages that can't be right. CORRUPT comes from reading them, NOTADB from the first one.
_CORRUPT = frozenset({apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB})


def passing(error: apsw.Error, system: int) -> NotSaved | None:
    """NotSaved where the next write may go well, with the system's error number `system`; None where none may be.

    After a failed sync nobody knows what is on disk, and trying again would say that all is well: the system tells of
    such a failure once. So whatever is not known to be harmless ends the journal.
    """
    code = getattr(error, "extendedresult", apsw.SQLITE_ERROR)
    # SQLite says FULL for ENOSPC itself; a quota or a limit on a file's size are plain failures of a write.
    no_room = code == apsw.SQLITE_IOERR_WRITE and system in _NO_ROOM
    if code & 0xFF in _PASSING or code in _PASSING_IO or no_room:
        return NotSaved(str(error))
    return None


def corrupt(error: Exception) -> bool:
    """Whether the error says that the database itself is damaged."""
    return getattr(error, "result", apsw.SQLITE_ERROR) in _CORRUPT
