"""Values shared by all who have the same objects."""

from cartino_tui.draw.canvas import IdentityCache


def test_the_same_objects_give_the_same_value_and_equal_ones_another() -> None:
    remembered: IdentityCache[object] = IdentityCache(8)
    one, twin = [1], [1]
    assert remembered.get((one,), "x", object) is remembered.get((one,), "x", object)
    assert remembered.get((one,), "x", object) is not remembered.get((twin,), "x", object)
    assert remembered.get((one,), "x", object) is not remembered.get((one,), "y", object)


def test_the_oldest_are_forgotten() -> None:
    remembered: IdentityCache[object] = IdentityCache(2)
    held = [[n] for n in range(3)]
    first = remembered.get((held[0],), None, object)
    remembered.get((held[1],), None, object)
    assert remembered.get((held[0],), None, object) is first
    remembered.get((held[2],), None, object)
    assert remembered.get((held[0],), None, object) is first
    second = object()
    assert remembered.get((held[1],), None, lambda: second) is second, "it was used least lately"
