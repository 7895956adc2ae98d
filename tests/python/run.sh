#!/usr/bin/env bash
# run.sh MODULE..: the Python module, by Debian's Python, for which it was built (another python3 may come first on PATH).
set -euo pipefail
cd "$(dirname "$0")"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "numpy is not installed"; exit 77; }
# What another version of the program trained is another result in the last bit.
export RIGSPACE_CACHE=$(mktemp -d)
trap 'rm -rf "$RIGSPACE_CACHE"' EXIT
[ $# -gt 0 ] || set -- $(ls test_*.py | sed 's/\.py$//')
/usr/bin/python3 -B -m unittest -q "$@"
