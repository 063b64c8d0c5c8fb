"""One choice from bytes to bytes, of bots that do what they should and what they should not."""

import re
from random import Random

import msgspec

from cartino_engine.bots import Bot
from cartino_engine.runner import BotReply, BotRequest, answer_request
from cartino_protocol.wire import MAX_COMMAND_BYTES, encode
from tests.support.race import Add, Broken, Mute, Steady


class Dicer(Bot):
    """Adds what its dice say."""

    game = "race"
    name = "dicer"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        return Add(chance.randrange(10**9))


class Careless(Bot):
    """Looks for what it was shown where it isn't."""

    game = "race"
    name = "careless"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        return {b"": Add(1)}[view]


class Misled(Bot):
    """Lets a library raise."""

    game = "race"
    name = "misled"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        return Add(chance.randrange(0))


class Quitter(Bot):
    """Would end the process."""

    game = "race"
    name = "quitter"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        raise SystemExit(0)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class Mumbler(Bot):
    """Raises what can't be written down."""

    game = "race"
    name = "mumbler"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        raise Unspeakable


class Essay(msgspec.Struct):
    text: str


class Essayist(Bot):
    """Makes a move longer than any command."""

    game = "race"
    name = "essayist"

    def choose(self, view: bytes, chance: Random) -> msgspec.Struct:
        return Essay("x" * MAX_COMMAND_BYTES)


def choice_of(bot: Bot, dice: bytes = b"") -> BotReply:
    asked = BotRequest(bot.game, bot.name, b"a secret hand", dice)
    return answer_request({(bot.game, bot.name): bot}, asked)


def test_the_move_comes_encoded() -> None:
    assert choice_of(Steady()) == BotReply((encode(Add(1)),))


def test_who_lets_it_be_has_no_move_and_has_not_failed() -> None:
    assert choice_of(Mute()) == BotReply(())


def test_the_same_dice_make_the_same_choice_and_others_another() -> None:
    bot = Dicer()
    assert choice_of(bot, b"1") == choice_of(bot, b"1")
    assert choice_of(bot, b"1") != choice_of(bot, b"2")


def test_what_a_bot_raised_is_told_with_its_place() -> None:
    choice = choice_of(Broken())
    assert choice.moves == ()
    assert re.fullmatch(r"ZeroDivisionError \(race\.py:\d+\)", choice.failed)


def test_its_words_are_not_since_they_may_be_somebody_s_hand() -> None:
    assert re.fullmatch(r"KeyError \(test_runner\.py:\d+\)", choice_of(Careless()).failed)


def test_the_place_is_in_the_bot_where_a_library_raised() -> None:
    assert re.fullmatch(r"ValueError \(test_runner\.py:\d+\)", choice_of(Misled()).failed)


def test_a_bot_that_would_quit_has_only_failed() -> None:
    assert choice_of(Quitter()).failed.startswith("SystemExit (")


def test_an_exception_that_can_not_be_printed_is_still_told() -> None:
    assert choice_of(Mumbler()).failed.startswith("Unspeakable (")


def test_a_move_longer_than_a_command_is_none() -> None:
    choice = choice_of(Essayist())
    assert (choice.moves, choice.failed.startswith("a move of 82")) == ((), True)


def test_a_bot_that_is_not_there_has_failed() -> None:
    assert answer_request({}, BotRequest("race", "nobody", b"", b"")).failed.startswith(
        "KeyError (runner.py:"
    )
