"""Settings that change while the server runs."""

from collections.abc import Callable

import msgspec
import structlog

from cartino_server.entry.errors import CommandError
from cartino_server.entry.settings import AT_START, NAMES, Settings

_log = structlog.get_logger(__name__)


class Reread(msgspec.Struct, frozen=True):
    """Which settings have changed, and which would only with a restart (`late`)."""

    changed: tuple[str, ...]
    late: tuple[str, ...]


class Rereading:
    """The settings as they are now; each call reads them again. `settings` are those that hold."""

    def __init__(
        self, settings: Settings, read: Callable[[], Settings], apply: Callable[[Settings], object]
    ) -> None:
        """Begin with `settings`; `read()` gives the new ones or raises CommandError, `apply` makes them hold.

        While it does, `settings` are still the old ones.
        """
        self.settings = settings
        self._read = read
        self._apply = apply

    def __call__(self) -> None:
        """Read, and let what is different hold from now on. Settings that are wrong change nothing."""
        try:
            self.again()
        except CommandError as error:
            _log.error("settings stay as they are", why=str(error))

    def again(self) -> Reread:
        """Do that, and tell what has changed. Raises CommandError where they are wrong, and changes nothing."""
        fresh = self._read()
        changed = [name for name in NAMES if getattr(fresh, name) != getattr(self.settings, name)]
        late = [name for name in changed if name in AT_START]
        if late:
            _log.warning("only a restart changes these settings", settings=late)
            fresh = msgspec.structs.replace(fresh, **{name: getattr(self.settings, name) for name in late})
        self._apply(fresh)
        self.settings = fresh
        now = tuple(name for name in changed if name not in late)
        _log.info("settings read again", changed=list(now))
        return Reread(now, tuple(late))
