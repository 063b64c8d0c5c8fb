"""What is said of a person's ssh keys, on every screen and in lines."""

from collections.abc import Sequence

from cartino_protocol.marking import N_
from cartino_protocol.own_keys import KeyLine, KeysView
from cartino_tui.door import Door
from cartino_tui.tongue import Tongue

_DAY = 10
"""Characters of a date at the beginning of a time."""


def facts_of(key: KeyLine, tongue: Tongue) -> Sequence[str]:
    """When a key was added and last used, as far as anybody knows, and whether it is in use here."""
    facts = []
    if key.here:
        facts.append(tongue.say("in use here"))
    if key.added:
        facts.append(tongue.say("added {day}", day=key.added[:_DAY]))
    if key.used and not key.here:
        facts.append(tongue.say("last used {day}", day=key.used[:_DAY]))
    return facts


def code_words(view: KeysView, door: Door, tongue: Tongue) -> tuple[str, str]:
    """What to do with the code of `view`, and what to type for it."""
    told = tongue.count(
        "Within {n} minute, come with the other key and type this there, once:",
        "Within {n} minutes, come with the other key and type this there, once:",
        view.minutes,
    )
    return told, door.add_key(view.code)


def added_words() -> str:
    """What is said when this key was added to somebody, in English."""
    return N_(
        "This key is yours from the next time you connect. What you played with it alone stays under its old name."
    )


def dropped_words() -> str:
    """What is said when a key was dropped, in English."""
    return N_("The key is dropped; whoever comes with it is somebody else.")


def keys_lines(view: KeysView, door: Door, tongue: Tongue) -> list[str]:
    """A line a key, behind what was done, for people who read `tongue`."""
    lines: list[str] = []
    if view.done == "code":
        lines += code_words(view, door, tongue)
    elif view.done:
        lines.append(tongue.say(added_words() if view.done == "added" else dropped_words()))
    return [*lines, *(", ".join((key.fingerprint, *facts_of(key, tongue))) for key in view.keys)]
