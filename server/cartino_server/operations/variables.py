"""Tell CARTINO_* variables that are settings from misspelt ones and from those that container platforms set."""

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from cartino_protocol.text import LazyMessage, lazy_gettext
from cartino_server.commands.console import shorten

ENV_PREFIX: Final = "CARTINO_"
_MAX_SHOWN: Final = 40
_PLATFORM_ADDRESS: Final = re.compile(r"(?:tcp|udp|sctp)://")
_PLATFORM_NAME: Final = re.compile(
    r"(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)|NAME|ENV_\w+"
)
"""What Kubernetes and Docker set beside a service whose name begins with cartino, without the prefix."""


def is_platform_address(value: str) -> bool:
    """Return whether `value` is an address that a container platform has set, as in CARTINO_PORT=tcp://10.0.0.1:80."""
    return _PLATFORM_ADDRESS.match(value) is not None


def nearest_name(name: str, names: Iterable[str]) -> str:
    """Return the one of `names` that a misspelt `name` is likely to mean; "" for none."""
    return next(iter(get_close_matches(name[:_MAX_SHOWN], list(names), n=1)), "")


def find_ignored_variables(environ: Mapping[str, str], settings: Iterable[str]) -> Iterator[LazyMessage]:
    """Yield a sentence about each variable that isn't used though it looks like one of `settings`."""
    known = [name.upper() for name in settings]
    for variable, value in sorted(environ.items()):
        name = variable.removeprefix(ENV_PREFIX)
        if name == variable or _PLATFORM_NAME.fullmatch(name):
            continue
        if name in known:
            if is_platform_address(value):
                yield lazy_gettext(
                    "{variable} is ignored: a container platform has set it to {value}. Use --{option}, or the "
                    "settings file.",
                    variable=variable,
                    value=shorten(value, _MAX_SHOWN),
                    option=name.lower(),
                )
        elif not is_platform_address(value):
            shown = shorten(variable, _MAX_SHOWN)
            nearest = nearest_name(name.upper(), known)
            if nearest:
                yield lazy_gettext(
                    "{variable} is ignored: there is no such setting. Did you mean {nearest}?",
                    variable=shown,
                    nearest=ENV_PREFIX + nearest,
                )
            else:
                yield lazy_gettext("{variable} is ignored: there is no such setting.", variable=shown)
