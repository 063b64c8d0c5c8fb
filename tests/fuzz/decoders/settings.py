"""What a host writes: settings in TOML, in variables and as options; and the known_hosts file of a player."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncssh

from cartino_server.client.known_hosts import check_host_key, find_known_hosts
from cartino_server.commands.console import CommandError
from cartino_server.operations.settings import SETTING_NAMES, read_settings
from cartino_server.operations.variables import ENV_PREFIX
from cartino_tui.i18n import ENGLISH
from tests.fuzz.attacking import Decoder, Run, plain_decoder

TOML = (
    b'host = "0.0.0.0"\nport = 2222\ndata = "/var/lib/cartino"\n',
    b"bot_pause = 0.5\n# so many\ntables = 20\ngrace = 4\nlog = 'json'\n",
    b'public = """games.example.org"""\nworkers = 0x10\nempty_after = 1e3\n',
    b'exempt = ["10.0.0.0/8", "::1"]\nadmins = ["SHA256:abc"]\nguests = false\n',
    b'"port" = +2_222\ntables = [1, 2]\n[host]\na.b.c = {d = 1979-05-27T07:32:00Z}\n[[log]]\n',
)
TOML_WORDS = (
    *b"= [[a]] [a] \"\"\" ''' \\U00110000 \\ud800 inf nan 1979-13-99 25:61:61 0b2 port".split(),
    *(b"a.b=1\n", b"a." * 3000, b"[" * 3000, b"{a=" * 3000, b"0x" + b"f" * 5000, b"port=1\nport=2\n"),
)
VARIABLES = b"""\
port=2222
tables=200
grace=1.5
log=json
public=games.example.org
workers=4
exempt=10.0.0.0/8, ::1/128
guests=false
data=/var/lib/cartino
config=/nowhere""".splitlines()
KEY = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2yvYFvYIuFvnHhTvk6JhT1vIbQZzHhUEu6T2PTXwkZ"
HOSTS = (
    b"games.example.org " + KEY + b" comment\n",
    b"[games.example.org]:2222,10.0.0.* " + KEY + b"\n# a remark\n",
    b"@revoked *.example.org,!bad.example.org " + KEY + b"\n",
    b"@cert-authority * " + KEY + b"\n",
    b"|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= " + KEY + b"\n",
)
_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A directory that is no disk, where there is one: a million files are written there."""
_SHOWN = asyncssh.import_public_key(KEY)


def variables(data: bytes) -> bool:
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


@contextmanager
def _file() -> Iterator[Run]:
    with tempfile.TemporaryDirectory(dir=_MEMORY) as directory:
        path = Path(directory) / "cartino.toml"

        def read(data: bytes) -> bool:
            path.write_bytes(data)
            try:
                read_settings(str(path), {}, {})
            except CommandError as error:
                sentence = ENGLISH.render(error.sentence)
                assert sentence.isprintable(), "it is one line, and nothing that a terminal obeys"
                return False
            return True

        yield read


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
    Decoder("settings", TOML, _file, "bytes", TOML_WORDS, most=2000),
    plain_decoder(variables, VARIABLES, *b"port= nan inf - _ 1_0".split()),
    Decoder("known_hosts", HOSTS, _known_hosts, "bytes", b"|1| * ! , [ ]: @revoked ?".split(), most=600),
)
