"""Who has a seat where."""

from cartino_server.lobby.people.presence import SeatIndex


def test_it_follows_who_sits() -> None:
    sitting = SeatIndex()
    assert sitting.note("AAAA", ("ann", "bob")) == ("ann", "bob")
    assert sitting.note("BBBB", ("ann",)) == ("ann",)
    assert (set(sitting.tables_of("ann")), set(sitting.tables_of("bob"))) == ({"AAAA", "BBBB"}, {"AAAA"})
    assert sitting.note("AAAA", ("ann", "eve")) == ("ann", "bob", "ann", "eve")
    assert ["ann" in sitting, "bob" in sitting, "eve" in sitting] == [True, False, True]


def test_a_table_that_is_no_more_seats_nobody() -> None:
    sitting = SeatIndex()
    sitting.note("AAAA", ("ann",))
    assert sitting.note("AAAA", ()) == ("ann",)
    assert sitting.note("AAAA", ()) == ()
    assert ("ann" in sitting, list(sitting.tables_of("ann"))) == (False, [])
