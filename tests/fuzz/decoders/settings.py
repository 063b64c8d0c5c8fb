"""What a host writes: settings in TOML, in variables and as options; and the known_hosts file of a player."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncssh

from cartino_server.client.known_hosts import check_host_key, find_known_hosts
from cartino_server.commands.console import CommandError
from cartino_server.operations.settings import (
    SETTING_NAMES,
    SettingError,
    parse_toml,
    read_settings,
)
from cartino_server.operations.variables import ENV_PREFIX
from cartino_tui.i18n import ENGLISH
from tests.fuzz.attacking import Decoder, Run, plainly

TOML = (
    b'host = "0.0.0.0"\nport = 2222\ndata = "/var/lib/cartino"\n',
    b"bot_pause = 0.5\n# so many\ntables = 20\ngrace = 4\nlog = 'json'\n",
    b'public = """games.example.org"""\nworkers = 0x10\nempty_after = 1e3\n',
    b'exempt = ["10.0.0.0/8", "::1"]\nadmins = ["SHA256:abc"]\nguests = false\n',
    b'"port" = +2_222\ntables = [1, 2]\n[host]\na.b.c = {d = 1979-05-27T07:32:00Z}\n[[log]]\n',
)
TOML_WORDS = (
    b"=",
    b"[[a]]",
    b"[a]",
    b"a.b=1\n",
    b"a." * 3000,
    b"[" * 3000,
    b"{a=" * 3000,
    b'"""',
    b"'''",
    b"\\U00110000",
    b"\\ud800",
    b"inf",
    b"nan",
    b"1979-13-99",
    b"25:61:61",
    b"0x" + b"f" * 5000,
    b"0b2",
    b"port",
    b"port=1\nport=2\n",
)
VARIABLES = (
    b"port=2222",
    b"tables=200",
    b"grace=1.5",
    b"log=json",
    b"public=games.example.org",
    b"workers=4",
    b"exempt=10.0.0.0/8, ::1/128",
    b"guests=false",
    b"data=/var/lib/cartino",
    b"config=/nowhere",
)
HOSTS = (
    b"games.example.org ssh-ed25519 "
    b"AAAAC3NzaC1lZDI1NTE5AAAAIJ2yvYFvYIuFvnHhTvk6JhT1vIbQZzHhUEu6T2PTXwkZ comment\n",
    b"[games.example.org]:2222,10.0.0.* ssh-ed25519 "
    b"AAAAC3NzaC1lZDI1NTE5AAAAIJ2yvYFvYIuFvnHhTvk6JhT1vIbQZzHhUEu6T2PTXwkZ\n# a remark\n",
    b"@revoked *.example.org,!bad.example.org ssh-ed25519 "
    b"AAAAC3NzaC1lZDI1NTE5AAAAIJ2yvYFvYIuFvnHhTvk6JhT1vIbQZzHhUEu6T2PTXwkZ\n",
    b"@cert-authority * ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2yvYFvYIuFvnHhTvk6JhT1vIbQZzHhUEu6T2PTXwkZ\n",
    b"|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-ed25519 "
    b"AAAAC3NzaC1lZDI1NTE5AAAAIJ2yvYFvYIuFvnHhTvk6JhT1vIbQZzHhUEu6T2PTXwkZ\n",
)
HOST_WORDS = (b"|1|", b"*", b"!", b",", b"[", b"]:", b"@revoked ", b"?", b"ssh-rsa ", b"AAAA")
_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A directory that is no disk, where there is one: a million files are written there."""
_SHOWN = asyncssh.import_public_key(HOSTS[0].split(b" ", 1)[1])


def _toml(data: bytes) -> bool:
    try:
        parse_toml(data.decode("utf-8", "replace"))
    except SettingError as fault:
        ENGLISH.render(fault.sentence)
        return False
    return True


@contextmanager
def _file() -> Iterator[Run]:
    with tempfile.TemporaryDirectory(dir=_MEMORY) as directory:
        path = Path(directory) / "cartino.toml"

        def read(data: bytes) -> bool:
            path.write_bytes(data)
            try:
                read_settings(str(path), {}, {})
            except CommandError as error:
                return _refused(error)
            return True

        yield read


def _variable(data: bytes) -> bool:
    """As the system hands it over: what is no UTF-8 comes as lone surrogates."""
    name, _, value = data.decode("utf-8", "surrogateescape").partition("=")
    value = value.replace("\0", "")
    taken = False
    for environ, options in (({ENV_PREFIX + name.upper(): value}, {}), ({}, {name: value})):
        try:
            read_settings(None, options, environ)
            taken = name in SETTING_NAMES
        except CommandError as error:
            # The name of a file is told as it is, whatever stands in it.
            ENGLISH.render(error.sentence)
    return taken


def _refused(error: CommandError) -> bool:
    told = ENGLISH.render(error.sentence)
    assert told.isprintable(), "it is one line, and nothing that a terminal obeys"
    return False


@contextmanager
def _known_hosts() -> Iterator[Run]:
    with tempfile.TemporaryDirectory(dir=_MEMORY) as directory:
        path = Path(directory) / "known_hosts"

        def read(data: bytes) -> bool:
            path.write_bytes(data)
            found = find_known_hosts([path], "games.example.org", 2222)
            return check_host_key(_SHOWN, found).says != "unknown"

        yield read


DECODERS = (
    Decoder("toml", TOML, plainly(_toml), "bytes", TOML_WORDS, most=2000),
    Decoder("settings", TOML, _file, "bytes", TOML_WORDS, most=2000),
    Decoder(
        "variables", VARIABLES, plainly(_variable), "bytes", (b"port=", b"nan", b"inf", b"-", b"_", b"1_0")
    ),
    Decoder(
        "known_hosts",
        HOSTS,
        _known_hosts,
        "bytes",
        (b"|1|", b"*", b"!", b",", b"[", b"]:", b"@revoked ", b"?"),
        most=600,
    ),
)
