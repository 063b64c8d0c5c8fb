"""A whole game from its rules alone, and what a client shows of a game that it lacks."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

import msgspec
from typing_extensions import override

from cartino_engine.bots import Bot, CantChoose
from cartino_games.kit.declared.game import AnyDeclared
from cartino_games.kit.declared.screen import GenericScreen
from cartino_games.kit.declared.speech import GenericSpeech
from cartino_games.package import GamePackage
from cartino_protocol.declared import Choose, decode_declared
from cartino_protocol.views import GameInfo
from cartino_tui.draw.text import clean
from cartino_tui.game_port.description import Paragraph, Section
from cartino_tui.game_port.screen import AnyScreen
from cartino_tui.game_port.speech import AnySpeech

Shown = TypeVar("Shown", GenericScreen, GenericSpeech)


def generic_package(rules: AnyDeclared, *bots: Bot) -> GamePackage:
    """Return the game of `rules`, drawn and spoken by the kit; a bot that chooses by chance comes after `bots`."""
    about = (Section(rules.title, tuple(Paragraph(text) for text in rules.about)),)
    easy = random_bot(rules.name)
    screen = _of_game(GenericScreen, rules.name, rules.title, about, (easy.name,))
    speech = _of_game(GenericSpeech, rules.name, rules.title, about, (easy.name,))
    return GamePackage(rules, screen, speech, (*bots, easy))


def foreign_screen(info: GameInfo) -> AnyScreen:
    """Return the screen of a server's game that is not installed here."""
    return _of_game(GenericScreen, info.name, clean(info.title))


def foreign_speech(info: GameInfo) -> AnySpeech:
    """Return the speech of a server's game that is not installed here."""
    return _of_game(GenericSpeech, info.name, clean(info.title))


def random_bot(game_name: str) -> Bot:
    """Return a bot that makes any choice, each as likely as the next."""

    class RandomBot(Bot):
        """Chooses by chance."""

        game = game_name
        name = "random"

        @override
        def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
            choices = decode_declared(view).choices
            if not choices:
                raise CantChoose("there are no choices")
            return Choose(chance.choice(choices).word)

    return RandomBot()


def _of_game(
    base: type[Shown], name: str, title: str, rules: Sequence[Section] = (), levels: tuple[str, ...] = ()
) -> Shown:
    """Return the generic screen or speech, `base`, of one game."""
    facts = {"name": name, "title": title, "rules": rules, "levels": levels}
    shown: Shown = type(base.__name__, (base,), facts)()
    return shown
