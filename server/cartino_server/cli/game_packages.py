"""`cartino new-game` and `cartino check-game`: write a new game's package, and check an installed game."""

import argparse
from pathlib import Path
from typing import Final

from cartino_games.conformance import check_game
from cartino_games.registry import NAME, installed
from cartino_protocol.text import lazy_gettext
from cartino_server.commands.cli_arguments import broken_game_message
from cartino_server.commands.console import FAILURE, MISUSE, CommandError, out, shorten, terminal_locale

_PROJECT_TEMPLATE: Final = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "cartino-@NAME@"
version = "0.1"
description = "@TITLE@ for Cartino."
requires-python = ">=3.11"
dependencies = ["cartino"]

[project.entry-points."cartino.games"]
@NAME@ = "@MODULE@:PACKAGE"

[tool.hatch.build.targets.wheel]
only-include = ["@MODULE@.py"]
"""

_RULES_TEMPLATE: Final = '''\
"""@TITLE@: everybody plays a card in turn, and the highest of each round scores."""

from collections.abc import Mapping

import msgspec

from cartino_games.kit.declared.game import Deal, DeclaredGame, Played
from cartino_games.kit.declared.package import generic_package
from cartino_protocol import declared as table

ROUNDS = 5
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


class State(msgspec.Struct, frozen=True):
    """Cards by number: the rank, then the suit. `played` are those of this round, from seat 0 on."""

    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    played: tuple[int, ...] = ()


class @CLASS@(DeclaredGame[State]):
    """The rules. Every method is described in DeclaredGame."""

    name = "@NAME@"
    title = "@TITLE@"
    seats = (2, 4)
    about = ("Everybody plays a card in turn. The highest card of a round scores a point.",)

    def begin(self, options: Mapping[str, str], seats: int, deal: Deal) -> State:
        """Deal a card a round to everybody."""
        cards = deal(52)
        return State(tuple(cards[seat * ROUNDS :][:ROUNDS] for seat in range(seats)), (0,) * seats)

    def acting(self, state: State) -> tuple[int, ...]:
        """Return the seat on turn."""
        return (len(state.played),) if any(state.hands) else ()

    def choices(self, state: State, seat: int) -> list[table.Choice]:
        """Return a choice for each card in hand, which is area 1 of the player's table."""
        return [
            table.Choice(code(card), table.say("Play {card}.", card=face(card)), uses=(table.Ref(1, at),))
            for at, card in enumerate(state.hands[seat])
        ]

    def play(self, state: State, seat: int, word: str, deal: Deal) -> Played[State]:
        """Play the card called `word`; the last one of a round scores for the highest."""
        card = next(card for card in state.hands[seat] if code(card) == word)
        hand = tuple(held for held in state.hands[seat] if held != card)
        hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
        log = [table.say("{who} plays {card}.", who=table.Player(seat), card=face(card))]
        played = (*state.played, card)
        if len(played) < len(hands):
            return Played(State(hands, state.points, played), log)
        best = played.index(max(played))
        log.append(table.say("{who} scores.", who=table.Player(best)))
        points = tuple(points + (each == best) for each, points in enumerate(state.points))
        return Played(State(hands, points), log)

    def show(self, state: State, audience: int | None) -> table.DeclaredView:
        """Show the round, and to a player their own hand: nothing else may depend on what others hold."""
        areas = [table.CardRow(table.say("This round"), tuple(face(card) for card in state.played))]
        if audience is not None:
            areas.append(table.CardRow(table.say("Your hand"), tuple(face(card) for card in state.hands[audience])))
        facts = tuple((table.count("{n} card", "{n} cards", len(hand)),) for hand in state.hands)
        return table.DeclaredView(tuple(areas), facts, table.say("Play a card."))

    def points(self, state: State) -> tuple[int, ...]:
        """Return the rounds that each player has won."""
        return state.points


def code(card: int) -> str:
    """Return a card's code: `10H`."""
    return RANKS[card // 4] + "DHSC"[card % 4]


def face(card: int) -> table.Card:
    """Return a card to show."""
    return table.Card(code(card))


PACKAGE = generic_package(@CLASS@())
'''

_TEST_TEMPLATE: Final = '''\
"""The game does what every game has to do: `cartino check-game @NAME@` runs the same checks."""

from cartino_games.conformance import check_game
from @MODULE@ import PACKAGE


def test_conformance() -> None:
    assert {check.name: check.problems for check in check_game(PACKAGE) if check.problems} == {}
'''


def run_new_game(arguments: argparse.Namespace) -> int:
    """Write the package. Raises CommandError."""
    name = arguments.name
    if not NAME.fullmatch(name) or name.endswith("-"):
        sentence = lazy_gettext(
            "new-game: {name} can't be a game's name; use 2 to 16 small letters, digits and dashes.",
            name=shorten(name, 40),
        )
        raise CommandError(sentence, MISUSE)
    if name in installed().packages or name in installed().broken:
        raise CommandError(lazy_gettext("new-game: there is a game {name} already.", name=name), MISUSE)
    folder = Path(arguments.folder or f"cartino-{name}")
    if folder.exists():
        raise CommandError(
            lazy_gettext("new-game: {folder} exists; name another directory.", folder=folder), MISUSE
        )
    try:
        folder.mkdir(parents=True)
        for file, text in package_files(name).items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        why = error.strerror
        raise CommandError(
            lazy_gettext("new-game: {folder} can't be written: {why}.", folder=folder, why=why)
        ) from None
    told = terminal_locale().gettext(
        "{folder} has the game. Install it with `pip install -e {folder}`, then run `cartino check-game {name}`.",
        folder=folder,
        name=name,
    )
    out(told)
    return 0


def package_files(name: str) -> dict[str, str]:
    """Return the files of a package for the game `name`, by their names in it."""
    words = name.split("-")
    module = f"cartino_{name.replace('-', '_')}"
    filled = {
        "@NAME@": name,
        "@MODULE@": module,
        "@TITLE@": " ".join(words).title(),
        "@CLASS@": "".join(word.capitalize() for word in words),
    }
    texts = {
        "pyproject.toml": _PROJECT_TEMPLATE,
        f"{module}.py": _RULES_TEMPLATE,
        f"test_{module}.py": _TEST_TEMPLATE,
    }
    for place, text in filled.items():
        texts = {file: each.replace(place, text) for file, each in texts.items()}
    return texts


_MAX_PROBLEM = 200


def run_check_game(arguments: argparse.Namespace) -> int:
    """Print what each check found; 1 where one failed."""
    games, name = installed(), shorten(arguments.name, 40)
    if name in games.broken:
        raise CommandError(broken_game_message(name, games.broken[name]))
    package = games.packages.get(name)
    if package is None:
        known = ", ".join(games.packages)
        raise CommandError(
            lazy_gettext("There is no game {name} here; there are {known}.", name=name, known=known), MISUSE
        )
    failed = 0
    for check in check_game(package):
        failed += bool(check.problems)
        # For whoever writes a game, so in English, as its code is.
        found = "; ".join(shorten(problem, _MAX_PROBLEM) for problem in check.problems) or check.note
        out(f"{'failed' if check.problems else 'ok':<6}  {check.name}{f': {found}' if found else ''}")
    return FAILURE if failed else 0
