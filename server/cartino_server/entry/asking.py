"""Questions to the person at the terminal, before anything is drawn on it."""

import getpass
import signal
from collections.abc import Callable
from pathlib import Path

from cartino_protocol.marking import N_
from cartino_server.calling.errors import UnknownHostKey
from cartino_server.entry.speaking import out, own_tongue, prompt

QUESTION = N_(
    "Nobody has been at {name} from here before; its {kind} key is\n"
    "{fingerprint}\n"
    "Go there, and remember the key? (yes/no) [no] "
)
YES = N_("yes")
"""What is typed for it; its first letter will do, and so will English."""


def confirm(unknown: UnknownHostKey) -> bool:
    """Whether the person knows the key that was shown for the right one; anything but a yes is a no."""
    tongue = own_tongue()
    question = tongue.say(QUESTION, name=unknown.name, kind=unknown.kind, fingerprint=unknown.fingerprint)
    yes = tongue.say(YES)
    return _ask(input, question).strip().lower() in {"y", YES, yes, yes[0]}


def passphrase(file: Path) -> str:
    """The passphrase of the key in `file`; "" for none."""
    return _ask(
        getpass.getpass, own_tongue().say("Passphrase of {file} (nothing: go without it): ", file=file)
    )


def _ask(read: Callable[[str], str], question: str) -> str:
    """What is typed; "" at the end of input. Ctrl-C ends the program, although a loop has the signal else."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return read(prompt(question))
    except EOFError:
        out("")
        return ""
    finally:
        signal.signal(signal.SIGINT, before)
