"""Who is away: whose terminal says so, or who has typed nothing for a while."""

from cartino_tui.context import IDLE_SECONDS, Presence


class Now:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_where_the_terminal_says_nothing_it_goes_by_what_is_typed() -> None:
    now = Now()
    presence = Presence(now)
    assert (presence.is_away, presence.is_reported_away) == (False, False)
    now.seconds += IDLE_SECONDS + 1
    assert (presence.is_away, presence.is_reported_away) == (True, False)
    presence.typed()
    assert (presence.is_away, presence.is_reported_away) == (False, False)


def test_what_the_terminal_says_counts() -> None:
    now = Now()
    presence = Presence(now)
    presence.note_focus(False)
    assert presence.is_away
    assert presence.is_reported_away
    presence.note_focus(True)
    now.seconds += 10 * IDLE_SECONDS
    assert not presence.is_away
