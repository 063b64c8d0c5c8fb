"""What argparse says is wrong, in the reader's language: it knows its own sentences only for a whole process."""

import re
from typing import Final

from cartino_protocol.marking import N_
from cartino_tui.tongue import Tongue

_MESSAGES: Final = tuple(
    (re.compile(rf"{pattern}\Z", re.DOTALL), sentence)
    for pattern, sentence in (
        (r"argument (?P<name>[^:]*): (?P<what>.*)", N_("argument {name}: {what}")),
        (
            r"the following arguments are required: (?P<names>.*)",
            N_("the following arguments are required: {names}"),
        ),
        (r"unrecognized arguments: (?P<words>.*)", N_("unrecognized arguments: {words}")),
        (r"one of the arguments (?P<names>.*) is required", N_("one of the arguments {names} is required")),
        (r"not allowed with argument (?P<name>.*)", N_("not allowed with argument {name}")),
        (r"expected one argument", N_("expected one argument")),
        (r"expected at most one argument", N_("expected at most one argument")),
        (r"expected at least one argument", N_("expected at least one argument")),
        (
            r"invalid choice: (?P<word>.*) \(choose from (?P<words>.*)\)",
            N_("invalid choice: {word} (choose from {words})"),
        ),
        (r"ignored explicit argument (?P<word>.*)", N_("ignored explicit argument {word}")),
        (
            r"ambiguous option: (?P<word>.*) could match (?P<words>.*)",
            N_("ambiguous option: {word} could match {words}"),
        ),
        (r"(?P<word>.*) is no whole number", N_("{word} is no whole number")),
    )
)
"""Its messages as patterns, and how they are said; `what` is one of the others."""


def said(message: str, tongue: Tongue) -> str:
    """Argparse's `message` in `tongue`; as it is where it is none that we know."""
    for pattern, sentence in _MESSAGES:
        found = pattern.match(message)
        if found is not None:
            places = found.groupdict()
            if "what" in places:
                places["what"] = said(places["what"], tongue)
            return tongue.say(sentence, **places)
    return message
