#!/bin/sh
# Run all checks, from a fresh checkout on: sh tests/run.sh [arguments of pytest]
# Needs Python 3.11 or newer (another than `python3`: PYTHON=...), and makes the rest itself.
set -eu
cd "$(dirname "$0")/.."

venv=.venv-test
bin=$venv/bin

say() { printf '%s\n' "$*" >&2; }
die() { say "tests/run.sh: $*"; exit 2; }

# A virtual environment belongs to its folder, its Python and this pyproject.toml: made again when any of them changes.
make_environment() {
    python=${PYTHON:-python3}
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || die "needs Python 3.11 or newer; PYTHON=... names another than python3"
    stamp="$(pwd -P) $("$python" -c 'import sys; print(sys.version)' | tr '\n' ' ') $(cksum < pyproject.toml)"
    [ "$(cat $venv/stamp 2>/dev/null)" = "$stamp" ] && return
    say "making $venv ..."
    rm -rf $venv
    "$python" -m venv $venv || die "cannot make a virtual environment; Debian and Ubuntu have it in the package python3-venv"
    $bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' || die "cannot install lakesite and its test tools"
    printf '%s' "$stamp" > $venv/stamp
}

find_browser() { LAKESITE_BROWSER=$($bin/python tests/browser.py 2>/dev/null); }

# A download that may hang, on a machine that may lack `timeout`.
bounded() { if command -v timeout >/dev/null; then timeout "$@"; else shift; "$@"; fi; }

download_browser() { bounded 300 $bin/python -m playwright install chromium >/dev/null 2>&1; }

install_browser() {
    [ "$(id -u)" = 0 ] && grep -qs '^ID=debian' /etc/os-release || return 1
    say "installing Debian's chromium ..."
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    { apt-get -qq update; apt-get -qq --yes -o DPkg::Lock::Timeout=300 install chromium fonts-dejavu-core; } </dev/null >/dev/null 2>&1
}

make_environment
find_browser \
    || { download_browser && find_browser; } \
    || { install_browser && find_browser; } \
    || die "no browser: install Chromium, or name one in LAKESITE_BROWSER"
LAKESITE_REQUIRE_BROWSER=1
export LAKESITE_BROWSER LAKESITE_REQUIRE_BROWSER

failed=
$bin/ruff check --quiet . || failed="$failed ruff"
$bin/mypy --no-error-summary || failed="$failed mypy"
$bin/python -m pytest -q --numprocesses=auto --maxprocesses=4 --dist=loadfile "$@" || failed="$failed pytest"
[ -z "$failed" ] || { say "failed:$failed"; exit 1; }
