"""Typing the name of a spot to put the cursor there: `KS`, then `u` or `l`; a joker may go to many."""

from typing import Final, NamedTuple

import msgspec

from cartino_games.cartino.board import BOARDS, JOKER
from cartino_games.cartino.marks import marks_for
from cartino_games.cartino.screen.pointer import CartinoPointer, lays_of
from cartino_games.cartino.views import CartinoView
from cartino_games.kit.marks import COURTS
from cartino_tui.game_port.screen import Look

START: Final = "slash"
"""The key after which a name is typed, whatever it begins with."""
_BEGINS: Final = frozenset("6789AKQJ") | {letter for courts in COURTS.values() for letter in courts.values()}
"""Keys that begin a name by themselves while a joker is up: no stone has such a number, and nothing else such a key."""


class Jump(NamedTuple):
    """Where a key led: the pointer, and what there is to say."""

    pointer: CartinoPointer
    status: str


def is_typing(pointer: CartinoPointer) -> bool:
    """Return whether a name is being typed."""
    return bool(pointer.typed)


def begins(pointer: CartinoPointer, key: str) -> bool:
    """Return whether `key` begins a name."""
    return pointer.picked is not None and (key == START or (pointer.stone == JOKER and key in _BEGINS))


def jump(view: CartinoView, pointer: CartinoPointer, key: str, look: Look) -> Jump:
    """Return what `key` does to the name that is being typed, or begins."""
    typed = pointer.typed or "/"
    if key == "escape" or (key == "backspace" and len(typed) == 1):
        return Jump(_typing(pointer, ""), "")
    if key == "backspace":
        return _asking(_typing(pointer, typed[:-1]), look)
    if key != START:
        typed += key.upper()
    return _go(view, pointer, typed, look) if len(typed) > 1 else _asking(_typing(pointer, typed), look)


def _go(view: CartinoView, pointer: CartinoPointer, typed: str, look: Look) -> Jump:
    """Return the cursor where `typed` says, as soon as that is one card."""
    names = _names(view, pointer, look)
    meant = [(name, spot) for name, spot in names if name.startswith(typed[1:])]
    if not meant:
        nowhere = look.translator.gettext("There's no open spot called {name}.", name=typed[1:])
        return Jump(_typing(pointer, typed[:-1] if len(typed) > 2 else "/"), nowhere)
    cards = {spot[:-1] for _, spot in meant}
    whole = all(len(name) - len(typed[1:]) <= 1 for name, _ in meant)
    if len(cards) > 1 or not whole:
        return _asking(_typing(pointer, typed), look)
    spots = sorted({spot for _, spot in meant}, key=lambda spot: spot[-1] != "u")
    there = msgspec.structs.replace(pointer, spot=spots[0], typed=typed if len(spots) > 1 else "")
    if len(spots) == 1:
        return Jump(there, "")
    card = marks_for(look).card(spots[0][:-1])
    said = look.translator.gettext("{card}: u is the upper half, l the lower one.", card=card)
    return Jump(there, said)


def _names(view: CartinoView, pointer: CartinoPointer, look: Look) -> list[tuple[str, str]]:
    """Return the names of each open spot of the stone, in English and the reader's letters, with the spot."""
    board, rank = BOARDS[view.edition], marks_for(look).rank
    spots = [lay.spot for lay in lays_of(view, -1 if pointer.picked is None else pointer.picked)]
    named = [(f"{rank(spot[:-1])}{spot[-2]}{spot[-1].upper()}", spot) for spot in spots]
    # Letters may mean two cards (D is a dame, and a diamond): the person's own come first.
    taken = {name[:-1] for name, _ in named} | {f"{rank(card)}{card[-1]}" for card in board.cards}
    return named + [(spot.upper(), spot) for spot in spots if spot[:-1] not in taken]


def _typing(pointer: CartinoPointer, typed: str) -> CartinoPointer:
    return msgspec.structs.replace(pointer, typed=typed)


def _asking(pointer: CartinoPointer, look: Look) -> Jump:
    example, name = marks_for(look).rank("KS") + "Su", pointer.typed[1:] + "_"
    said = look.translator.gettext(
        "Which spot? Type its name, for example {example}: {name}", example=example, name=name
    )
    return Jump(pointer, said)
