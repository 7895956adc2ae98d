#!/usr/bin/env bash
# run.sh MODULE..: the command line, by Debian's Python (another python3 may come first on PATH). All without an argument.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- $(ls test_*.py | sed 's/\.py$//')
exec /usr/bin/python3 -m unittest -q "$@"
