"""Addresses and networks as people write them, and the source under which each is counted."""

from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cartino_server.networks import (
    WIDER_PREFIXES,
    Networks,
    Source,
    read_address,
    read_network,
    source_of,
    wider_networks,
)


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


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.7", Source("192.0.2.7", "192.0.2.7")),
        ("::ffff:192.0.2.7", Source("192.0.2.7", "192.0.2.7")),
        ("2001:DB8:0:0:1::", Source("2001:db8:0:0:1::", "2001:db8::/64")),
        ("2001:db8:0:1::1", Source("2001:db8:0:1::1", "2001:db8:0:1::/64")),
        ("fe80::1%eth0", Source("fe80::1", "fe80::/64")),
        ("::1", Source("::1", "::/64")),
        ("", Source("", "")),
        ("unknown", Source("unknown", "unknown")),
    ],
)
def test_a_source_is_an_address_and_the_network_it_counts_as(address: str, source: Source) -> None:
    assert source_of(address) == source


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**64 - 1))
def test_all_of_a_network_of_64_bits_are_one(address: int, other: int) -> None:
    first, second = IPv6Address(address), IPv6Address(address >> 64 << 64 | other)
    if first.ipv4_mapped is None and second.ipv4_mapped is None:
        assert source_of(str(first)).network == source_of(str(second)).network
        assert source_of(str(first)).network != source_of(str(IPv6Address(address ^ 1 << 64))).network


@given(st.text(max_size=60))
def test_whatever_stands_there_is_a_source(address: str) -> None:
    assert isinstance(source_of(address), Source)
    Networks(["10.0.0.0/8"]).has(address)


@pytest.mark.parametrize("address", ["192.0.2.7", "2001:db8::1", "#7", "unknown"])
def test_the_networks_around_are_different_ones_as_many_for_every_address(address: str) -> None:
    """Else what has no address would count twice among the many."""
    wider = wider_networks(address)
    assert len(set(wider)) == len(wider) == len(WIDER_PREFIXES[4]) == len(WIDER_PREFIXES[6])


def test_a_list_has_addresses_and_networks() -> None:
    networks = Networks(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "192.168.3.4/16"])
    inside = ("10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7", "2001:db8:1::1%lo", "192.168.0.0")
    assert [address for address in inside if not networks.has(address)] == []
    outside = ("11.0.0.0", "192.0.2.8", "::1", "2001:db9::", "", "x", "10.0.0.0/8")
    assert [address for address in outside if networks.has(address)] == []
    assert not Networks([]).has("10.0.0.1")
