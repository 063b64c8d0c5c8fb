"""Plays as people type them (rules, Typing): `9Hx3C+6D,9C`, `2H+7C=9`, `7H&7C`, `AH>9`, `4H+5C>>9`.

A capture may also name a build by its value (`9Hx>9`), and the whole table as `*`.
"""

import re

from cartino_games.casino.arithmetic import judge, readings, sets_of, whole
from cartino_games.casino.cards import LOW
from cartino_games.casino.views import CasinoView, Play, Rule

_CARD = "((?:10|[2-9AJQK])[DHSC])"
_ITEM = r"(?:(?:10|[2-9AJQK])[DHSC]|>\d\d?|\*)"
_CAPTURE = re.compile(rf"{_CARD}(?:=(\d\d?))?X({_ITEM}(?:[,+]{_ITEM})*)", re.ASCII)
_BUILD = re.compile(rf"{_CARD}(?:\+{_CARD}=(\d\d?)|&{_CARD})", re.ASCII)
_ADD = re.compile(rf"{_CARD}(?:\+{_CARD})?>(>\d\d?)", re.ASCII)
_RAISE = re.compile(rf"{_CARD}(>\d\d?)", re.ASCII)


def read(text: str, view: CasinoView) -> Play | Rule | None:
    """Return the play that `text` means, the rule that refuses it, or None where it is no play."""
    play = parse_play(text, view)
    return play and (judge(view, play) or play)


def parse_play(text: str, view: CasinoView) -> Play | None:
    """Return the play that `text` means, allowed or not; None where it is no play.

    Case and blanks don't matter. A capture that names no value has the lowest at which it is allowed.
    """
    text = "".join(text.upper().split())
    # A build that isn't there stands for its own sign, which is no card on the table.
    stacks = {f">{build.value}": build.cards for build in view.builds} | {"*": view.cards}
    if found := _CAPTURE.fullmatch(text):
        card, value, items = found.groups()
        chosen = [each for item in re.split("[,+]", items) for each in stacks.get(item, (item,))]
        ways = [play for play, _ in readings(view, card, chosen) if play.act == "capture"]
        named = Play(card, "capture", int(value or LOW[card]), whole(view, chosen))
        return next((play for play in ways if value in (None, str(play.value))), named)
    if re.fullmatch(_CARD, text):
        return Play(text, "trail")
    if found := _BUILD.fullmatch(text):
        card, one, value, equal = found.groups()
        return Play(card, "build", int(value or LOW[card]), whole(view, [one or equal]))
    if found := _ADD.fullmatch(text):
        card, one, stack = found.groups()
        return Play(card, "add", int(stack[1:]), (*filter(None, [one]), *stacks.get(stack, (stack,))))
    if found := _RAISE.fullmatch(text):
        card, stack = found.groups()
        return Play(card, "raise", int(stack[1:]) + LOW[card], stacks.get(stack, (stack,)))
    return None


def write(play: Play) -> str:
    """Return `play`, an allowed one, as it is typed. The loose card of an add is the first of its `takes`."""
    card, value, low = play.card, play.value, LOW[play.card]
    if play.act == "trail":
        return card
    if play.act == "capture":
        sets = sets_of(play.takes, value)
        return f"{card}{'' if value == low else f'={value}'}x{','.join(map('+'.join, sets)) if sets else '*'}"
    if play.act == "build":
        return f"{card}&{play.takes[0]}" if value == low else f"{card}+{play.takes[0]}={value}"
    if play.act == "raise":
        return f"{card}>{value - low}"
    return f"{card}{'' if value == low else '+' + play.takes[0]}>>{value}"
