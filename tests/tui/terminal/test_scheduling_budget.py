from cartino_tui.terminal.scheduling import INPUT_BURST, InputBudget


def test_there_is_a_burst_and_then_the_rate() -> None:
    units = InputBudget(60, now=100)
    units.spend(INPUT_BURST)
    assert not units.enough
    units.count(100 + 1 / 60 - 1e-6)
    assert not units.enough
    assert units.wait > 0
    units.count(100 + 1 / 60 + 1e-6)
    assert units.enough


def test_a_long_pause_saves_up_no_more_than_the_burst() -> None:
    units = InputBudget(60, now=0)
    units.count(1e6)
    units.spend(INPUT_BURST)
    assert not units.enough


def test_what_was_too_much_has_to_be_waited_for() -> None:
    units = InputBudget(50, now=0)
    units.spend(INPUT_BURST + 99)
    assert units.wait == 2
