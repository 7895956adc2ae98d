#!/usr/bin/env bash
# run.sh SHARD OF: first results on characters that nobody tuned for, every OF-th of them.
set -euo pipefail
exec /usr/bin/python3 "$(dirname "$0")/census.py" "$@"
