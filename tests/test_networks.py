"""Addresses and networks as people write them: whichever way IPv4 is spelled, it is one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.networks import read_address, read_network


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        ("192.0.2.7/24", "192.0.2.0/24"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("::ffff:203.0.113.9/120", "203.0.113.0/24"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("::ffff:0:0/96", "0.0.0.0/0"),
        ("2001:db8::5", "2001:db8::5/128"),
        ("2001:db8::5/32", "2001:db8::/32"),
        ("fe80::1%eth0", "fe80::1/128"),
        ("::/0", "::/0"),
        ("::1/128", "::1/128"),
    ],
)
def test_a_network_is_read(text: str, network: str) -> None:
    assert str(read_network(text)) == network


@pytest.mark.parametrize(
    "text",
    [
        "::ffff:10.0.0.0/95",
        "::ffff:0:0/80",
        "::/8",
        "",
        "/",
        "1.2.3",
        "1.2.3.4/33",
        "::1/129",
        "1.2.3.4/x",
        "x",
    ],
)
def test_what_is_none_or_two_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        read_network(text)


@given(st.ip_addresses(v=4), st.integers(0, 32))
def test_a_network_in_other_clothes_holds_the_same(address: object, length: int) -> None:
    plain, dressed = read_network(f"{address}/{length}"), read_network(f"::ffff:{address}/{96 + length}")
    assert dressed == plain
    assert read_address(f"::ffff:{address}") in plain


@given(st.text(max_size=40))
def test_whatever_stands_there_is_read_or_a_value_error(text: str) -> None:
    for read in (read_address, read_network):
        try:
            read(text)
        except ValueError:
            continue
