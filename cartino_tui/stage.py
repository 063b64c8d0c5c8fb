"""What all screens of one app share and none of them changes, but for the line of what is typed."""

import time
from collections.abc import Callable, Mapping

import msgspec

from cartino_tui.door import Door
from cartino_tui.games.screen import AnyScreen
from cartino_tui.hosts_words import HostsWords
from cartino_tui.line import LineBoard
from cartino_tui.preferences import Preferences
from cartino_tui.presence import Presence
from cartino_tui.typeahead import Typeahead
from cartino_tui.unread import Unread


class Stage(msgspec.Struct, frozen=True):
    """`plugs` by game name; `door` the words that lead to the house; `preferences` what the person has chosen.

    `now` is a clock in seconds that only rises.
    """

    plugs: Mapping[str, AnyScreen]
    preferences: Preferences = msgspec.field(default_factory=Preferences)
    door: Door = Door()
    typeahead: Typeahead = msgspec.field(default_factory=Typeahead)
    now: Callable[[], float] = time.monotonic
    line: LineBoard = msgspec.field(default_factory=LineBoard)
    presence: Presence = msgspec.field(default_factory=Presence)
    unread: Unread = msgspec.field(default_factory=Unread)
    host: HostsWords = msgspec.field(default_factory=HostsWords)
