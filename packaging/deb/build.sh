#!/bin/sh
# Builds dist/cartino_VERSION_ARCH.deb for this release of Debian or Ubuntu: packaging/deb/build.sh
# Needs git, dpkg and python3-venv, and asks the package index for the locked packages. PYTHON names the system's
# Python, which must be 3.11 or later: the package has an environment of its own in /opt/cartino, made for it.
set -eu
umask 022
cd "$(dirname "$0")/../.."

python=${PYTHON:-/usr/bin/python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
root=$scratch/root
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

"$python" -m venv "$scratch/tools"
"$scratch/tools/bin/pip" install --quiet --require-hashes -r requirements/build.lock
"$scratch/tools/bin/hatchling" build -t wheel -d "$scratch" >/dev/null
wheel=$(echo "$scratch"/cartino-*.whl)
version=$(basename "$wheel" | cut -d- -f2)
minor=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')

home=$root/opt/cartino
"/usr/bin/python$minor" -m venv --without-pip "$home"
install_here() {
    "$scratch/tools/bin/pip" --python "$home/bin/python" install --quiet --no-compile "$@"
}
install_here --require-hashes -r requirements/run.lock
install_here --no-deps --no-index "$wheel"
# No path of this build may be left in what is installed.
rm -f "$home"/bin/activate* "$home"/bin/Activate*
grep -rlIF "$scratch" "$home" | xargs -r sed -i "s|$root||g"
find "$home" -name direct_url.json -delete
"$home/bin/python" -m compileall -q -j 0 -s "$root" --invalidation-mode unchecked-hash "$home/lib"
if grep -rqF "$scratch" "$home"; then
    echo "deb: these files name the folder of the build:" >&2
    grep -rlF "$scratch" "$home" >&2
    exit 1
fi

place() { # place SOURCE TARGET
    install -Dm644 "$1" "$root/$2"
}
doc=usr/share/doc/cartino
place share/man/man1/cartino.1 usr/share/man/man1/cartino.1
place CHANGELOG.md $doc/NEWS
gzip -9n "$root/usr/share/man/man1/cartino.1" "$root/$doc/NEWS"
place share/bash-completion/completions/cartino usr/share/bash-completion/completions/cartino
place share/fish/vendor_completions.d/cartino.fish usr/share/fish/vendor_completions.d/cartino.fish
place share/zsh/site-functions/_cartino usr/share/zsh/vendor-completions/_cartino
place share/systemd/cartino.service usr/lib/systemd/system/cartino.service
place share/systemd/sysusers.conf usr/lib/sysusers.d/cartino.conf
place share/systemd/port-22.conf $doc/examples/port-22.conf
place share/grafana/cartino.json $doc/examples/grafana.json
place share/prometheus/cartino-alerts.yml $doc/examples/prometheus-alerts.yml
place docs/hosting.md $doc/hosting.md
place docs/admission.md $doc/admission.md
place packaging/deb/copyright $doc/copyright
place share/cartino.toml etc/cartino/cartino.toml
sed -i 's|^#data = .*|data = "/var/lib/cartino"|' "$root/etc/cartino/cartino.toml"
rm -rf "$home/share" "$home/include"
mkdir -p "$root/usr/bin"
ln -s /opt/cartino/bin/cartino "$root/usr/bin/cartino"

mkdir -p "$root/DEBIAN"
echo /etc/cartino/cartino.toml >"$root/DEBIAN/conffiles"
install -m755 packaging/deb/postinst packaging/deb/prerm packaging/deb/postrm "$root/DEBIAN"
(cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<END
Package: cartino
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The Cartino authors <cartino@users.noreply.github.com>
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: python$minor, libc6
Recommends: systemd
Section: games
Priority: optional
Homepage: https://github.com/cartino/cartino
Description: table games in the terminal, alone or together over SSH
 Cartino, Caro and Casino for two to four players, with bots. People play in
 their own terminal, or on a server that they reach with any SSH client.
 .
 The package has a systemd service, cartino.service, which starts when you
 enable it.
END
mkdir -p dist
dpkg-deb --root-owner-group -Zxz --build "$root" "dist/cartino_${version}_$(dpkg --print-architecture).deb"
