#!/bin/sh
# Makes .venv ready: `tools/setup.sh run` to play or serve, `tools/setup.sh dev` to test and check as well,
# `tools/setup.sh ci` to leave out no test for a missing program either.
# Quiet unless it fails; when nothing changed, a call costs milliseconds. PYTHON=... chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."

kind=${1:-run}
clients=''
case $kind in
    run) ;;
    dev) clients='dropbear-bin putty-tools' ;;
    ci)
        kind=dev
        clients='curl dropbear-bin golang-go golang-golang-x-crypto-dev mosh putty-tools'
        ;;
    *)
        echo "usage: tools/setup.sh run|dev|ci" >&2
        exit 2
        ;;
esac
venv=.venv
stamp=$venv/.setup-stamp

fail() {
    echo "setup: $*" >&2
    exit 1
}

# quietly COMMAND...: what it prints is shown only when it fails.
quietly() {
    log=$(mktemp)
    if "$@" >"$log" 2>&1 </dev/null; then
        rm -f "$log"
    else
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
}

# may_install: are we root on a machine of Debian's family?
may_install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1
}

apt_install() {
    quietly apt-get -q update || fail "apt-get update failed (above)."
    quietly env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@" ||
        fail "apt-get could not install $* (above)."
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# find_python: the first interpreter that really starts and is new enough; a name alone proves nothing,
# for version managers put names on the path that only say what could be installed.
find_python() {
    for name in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
        if new_enough "$name"; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

make_venv() {
    if ! python=$(find_python); then
        [ -z "${PYTHON:-}" ] || fail "PYTHON=$PYTHON is no Python 3.11 or later."
        may_install || fail "Cartino needs Python 3.11 or later: please install it, or name one with PYTHON=/path/to/python3."
        apt_install python3 python3-venv
        python=$(find_python) || fail "Cartino needs Python 3.11 or later, and this system's own is older: name one with PYTHON=/path/to/python3."
    fi
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        may_install || fail "$python cannot make virtual environments: please install the package that adds them ($package on Debian and Ubuntu)."
        apt_install "$package"
    fi
    quietly "$python" -m venv --clear "$venv" || fail "$python could not make $venv (above)."
}

# What .venv was made from is noted in it last of all, so an unfinished one has no note and is made anew.
# So is one that was made in another folder: its scripts hold that folder's path.
sources=$(cat requirements/*.lock pyproject.toml tools/setup.sh | cksum)
made_for='' made_with='' made_in='' made_from=''
if [ -x "$venv/bin/python" ] && [ -r "$stamp" ]; then
    { read -r made_for && read -r made_with && read -r made_in && read -r made_from; } <"$stamp" || true
fi
remake=no update=no
[ "$made_in" = "$PWD" ] || remake=yes
[ -z "${PYTHON:-}" ] || [ "$made_with" = "$PYTHON" ] || remake=yes
[ "$made_from" = "$sources" ] || update=yes
# A .venv made for development stays one; Cartino runs from it too.
if [ "$kind" = dev ] || { [ "$made_for" = dev ] && [ $remake = no ]; }; then
    locks=requirements/dev.lock
    [ "$made_for" = dev ] || update=yes
    made_for=dev
else
    locks="requirements/run.lock requirements/build.lock"
    made_for=run
fi

if [ $remake = yes ] || [ $update = yes ]; then
    if [ $remake = yes ]; then
        make_venv
        made_with=${PYTHON:-}
    fi
    rm -f "$stamp"
    # shellcheck disable=SC2046,SC2086 # one option a lock file
    quietly "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --require-hashes $(printf -- '-r %s ' $locks) || fail "the locked packages could not be installed (above)."
    quietly "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
        --no-build-isolation --no-deps --no-index -e . || fail "Cartino itself could not be installed (above)."
    printf '%s\n' "$made_for" "$made_with" "$PWD" "$sources" >"$stamp"
fi

# The tests log in with other SSH clients, too, and skip those that are missing: what can't be installed is no failure,
# and isn't tried again before something changes, except by CI.
missing=''
for package in $clients; do
    [ "$(dpkg-query -Wf '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ] && may_install && { [ $update = yes ] || [ "${1:-}" = ci ]; }; then
    # shellcheck disable=SC2086 # one word a package
    (apt_install $missing) || echo "setup: some tests are skipped, for these packages are missing:$missing" >&2
fi

# The end-to-end tests knock at the door with OpenSSH's own client.
if [ "$kind" = dev ] && ! { command -v ssh && command -v ssh-keygen; } >/dev/null 2>&1; then
    may_install || fail "the tests need OpenSSH's ssh and ssh-keygen: please install them (package openssh-client on Debian and Ubuntu)."
    apt_install openssh-client
fi

# They ask systemd what it finds to attack in the unit of the service.
if [ "$kind" = dev ] && [ "$(uname)" = Linux ] && ! command -v systemd-analyze >/dev/null 2>&1; then
    may_install || fail "the tests need systemd-analyze: please install it (package systemd on Debian and Ubuntu)."
    apt_install systemd
fi
