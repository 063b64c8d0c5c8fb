"""How two readings of the same data are compared."""

from tests.support.release_data import RECENT, differences


def test_only_lost_and_changed_fields_are_differences() -> None:
    before = {"kept": [1, {"lost": 2}], "changed": "a", "left": 50.0}
    after = {"kept": [1, {"added": 2}], "changed": "b", "left": 45.5, "added": 3}
    assert differences(before, after) == ["/kept/1/lost is missing", "/changed: 'a', now 'b'"]
    assert differences([1, 2], [1]) == [": [1, 2], now [1]"]
    shown = list(range(RECENT))
    assert differences({"recent": shown}, {"recent": [-2, -1, *shown]}) == []
    assert differences({"recent": shown}, {"recent": [-1, *shown[:-1], 99]}) == [
        f"/recent/{RECENT - 1}: 11, now 99"
    ]
    assert len(differences({"recent": shown[1:]}, {"recent": shown})) == 1
