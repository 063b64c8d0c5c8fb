"""What waits for a slow reader: the newest of each view, few refusals, in an order that makes sense."""

from cartino_protocol.link import Outbox
from cartino_protocol.refusals import Refusal
from cartino_protocol.views import Answer, Bye, ChatView, Left, LobbyView, Mine, TableView
from cartino_protocol.wire import decode_answer


def read(outbox: Outbox) -> list[Answer | bytes]:
    """All frames; made-up ones as they are."""
    frames = []
    while (frame := outbox.next_frame()) is not None:
        frames.append(frame if frame.isalnum() else decode_answer(frame))
    return frames


def test_of_each_view_only_the_newest_waits() -> None:
    outbox = Outbox(5)
    for frame in (b"one", b"two", b"three"):
        outbox.put_frame(TableView, frame)
        outbox.put_frame(ChatView, frame)
    assert read(outbox) == [b"three", b"three"]
    assert outbox.next_frame() is None


def test_the_order_is_that_of_arrival() -> None:
    outbox = Outbox(5)
    outbox.put_frame(TableView, b"room")
    outbox.put(Refusal("stale"))
    outbox.put_frame(ChatView, b"chat")
    outbox.put(Refusal("busy"))
    assert read(outbox) == [b"room", Refusal("stale"), b"chat", Refusal("busy")]


def test_too_many_refusals_push_out_the_oldest() -> None:
    outbox = Outbox(2)
    for reason in ("stale", "busy"):
        outbox.put(Refusal(reason))
    assert outbox.next_frame() is not None
    outbox.put(Refusal("full"))
    outbox.put(Refusal("seated"))
    assert read(outbox) == [Refusal("full"), Refusal("seated")]


def test_of_tables_and_the_list_only_what_came_last_is_shown() -> None:
    """The chat of a first table would keep its early place, and be read as the second's."""
    outbox = Outbox(5)
    for kind in (LobbyView, Mine, TableView, ChatView):
        outbox.put_frame(kind, b"old")
    outbox.put(Left("left", "AAAA"))
    outbox.put_frame(LobbyView, b"lobby")
    outbox.put_frame(TableView, b"new")
    assert read(outbox) == [Left("left", "AAAA"), b"new"]
    for kind in (ChatView, TableView):
        outbox.put_frame(kind, b"old")
    outbox.leave_table()
    outbox.put_frame(TableView, b"new")
    assert read(outbox) == [b"new"]


def test_going_in_and_out_unread_takes_no_room() -> None:
    outbox = Outbox(5)
    for _ in range(1000):
        outbox.put_frame(TableView, b"room")
        outbox.put(Left("left", "AAAA"))
    outbox.put(Bye("kicked"))
    assert read(outbox) == [Left("left", "AAAA"), Bye("kicked")]


def test_a_frame_goes_on_with_its_kind() -> None:
    """So that what carries it further keeps to the same rules at the other end."""
    here, there = Outbox(2), Outbox(2)
    here.put_frame(TableView, b"room")
    for reason in ("stale", "busy", "full"):
        here.put(Refusal(reason))
    here.put(Bye("kicked"))
    kinds = []
    while (taken := here.take_known()) is not None:
        kinds.append(taken[0])
        there.put_frame(*taken)
    assert kinds == [TableView, Refusal, Refusal, Bye]
    assert read(there) == [b"room", Refusal("busy"), Refusal("full"), Bye("kicked")]
    here.put_frame(TableView, b"room")
    here.put(Refusal("busy"))
    here.clear()
    assert here.next_frame() is None
