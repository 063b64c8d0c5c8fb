"""What was kept is read with trust in nothing: whatever is no value of ours is as if nobody had chosen it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_protocol.wire import encode_raw
from cartino_tui.preferences import Settings, decode_settings


def said(**fields: object) -> bytes:
    return msgspec.msgpack.encode(fields)


def test_what_was_chosen_is_read_again() -> None:
    chosen = Settings(language="fr", theme="light", bell=False, own_keys={"lay": "x"})
    assert decode_settings(bytes(encode_raw(chosen))) == chosen
    assert decode_settings(bytes(encode_raw(Settings()))) == Settings()


def test_a_field_of_a_newer_client_is_let_be() -> None:
    assert decode_settings(said(theme="light", sound="loud", more={"a": [1]})) == Settings(theme="light")


def test_a_keymap_of_an_older_client_is_the_usual_one() -> None:
    kept = said(keymap="wasd", own_keys={"up": "z"}, bell=False)
    assert decode_settings(kept) == Settings(own_keys={"up": "z"}, bell=False)


@pytest.mark.parametrize("bad", ["violet", 7, None, [], {"x": 1}])
def test_a_bad_value_is_the_usual_one_and_the_others_hold(bad: object) -> None:
    assert decode_settings(said(theme=bad, bell=False)) == Settings(bell=False)
    assert decode_settings(said(bell=bad, theme="own")) == Settings(theme="own")


@pytest.mark.parametrize(
    "junk", [b"", b"\xc1", b"\x93\x01\x02\x03", b"\x81\x01\x02", b"\x81\xa1\xff\x02", b"\x91" * 5000]
)
def test_junk_is_nothing(junk: bytes) -> None:
    assert decode_settings(junk) == Settings()


@given(st.binary(max_size=200))
def test_nothing_breaks_it(junk: bytes) -> None:
    assert isinstance(decode_settings(junk), Settings)
