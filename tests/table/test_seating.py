"""Chairs and ownership. The rules about when are the table's, see test_room."""

from cartino_server.table.seating import Seating, seats_with_bots


def of(seating: Seating) -> list[str]:
    return [chair.name for chair in seating.chairs]


def test_bots_fill_the_last_seats() -> None:
    seating = seats_with_bots(4, ["one", "two"])
    assert of(seating) == ["", "", "one", "two"]
    assert [chair.record_name for chair in seating.chairs] == ["", "", "bot:one", "bot:two"]
    assert (seating.count_taken_seats(), seating.first_free(), seating.owner) == (2, 0, None)


def test_nobody_s_seat_is_no_seat() -> None:
    assert seats_with_bots(2, ["bot"]).seat_of("") is None


def test_ownership_goes_round_to_the_next_human() -> None:
    seating = seats_with_bots(4, ["bot"])
    for seat, person in ((2, "ann"), (0, "bob"), (1, "eve")):
        seating = seating.sit(seat, person, person)
    assert seating.owner == 2
    seating = seating.give_up(2)
    assert seating.owner == 0
    assert of(seating) == ["bob", "eve", "ann", "bot"]
    assert seating.persons() == ("bob", "eve")
    seating = seating.free(1)
    assert seating.owner == 0


def test_bots_of_a_kind_are_told_apart_and_recorded_alike() -> None:
    seating = seats_with_bots(4, ["greedy", "random", "greedy"])
    assert of(seating) == ["", "greedy", "random", "greedy 2"]
    assert [chair.record_name for chair in seating.chairs[1:]] == ["bot:greedy", "bot:random", "bot:greedy"]


def test_compacting_and_turning() -> None:
    seating = seats_with_bots(4, ["bot"])
    seating = seating.sit(0, "ann", "ann")
    seating = seating.sit(2, "bob", "bob")
    seating = seating.cut(2, "x")
    seating = seating.compact()
    assert of(seating) == ["ann", "bob", "bot"]
    assert seating.chairs[1].cut == "x"
    seating = seating.turn({"bob"})
    assert of(seating) == ["bob", "bot", ""]
    assert (seating.owner, seating.chairs[0].cut) == (0, "x"), (
        "a cut for the next deal goes round with its player"
    )
    seating = seating.dealt()
    assert seating.chairs[0].cut == ""


def test_a_seat_beyond_the_table_is_not_free() -> None:
    seating = seats_with_bots(2, [])
    assert [seating.is_free(seat) for seat in (0, 1, 2, 15)] == [True, True, False, False]
