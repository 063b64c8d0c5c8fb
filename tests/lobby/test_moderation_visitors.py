"""Who was here lately, by any of the last names that they had; how many are remembered."""

import pytest

from cartino_server.lobby import moderation as overview
from cartino_server.lobby.moderation import MAX_NAMES_EACH, RecentVisitor, RecentVisitors


def test_somebody_is_known_by_all_their_last_names() -> None:
    found = RecentVisitors()
    found.record_visit("id-ann", "Ann", "192.0.2.1")
    found.record_visit("id-ann", "Bea", "")
    found.record_visit("id-ann", "Ann", "")
    ann = RecentVisitor("id-ann", ("Bea", "Ann"), "192.0.2.1")
    assert found.get("id-ann") == ann
    assert ann.name == "Ann"
    assert found.called("BEA") == found.called("ann") == (ann,)
    assert found.called("Be") == ()
    for number in range(MAX_NAMES_EACH):
        found.record_visit("id-ann", f"name {number}", "192.0.2.9")
    assert found.called("Ann") == ()
    assert found.called("name 0")[0].source == "192.0.2.9"


def test_the_newest_are_remembered_and_told_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "MAX_VISITORS", 2)
    found = RecentVisitors()
    for person in ("1", "2", "1", "3"):
        found.record_visit(person, "x", "")
    assert [each.person for each in found.called("x")] == ["3", "1"]
    assert found.get("2") is None
