#!/usr/bin/env bash
# The studio's server without a browser: what pages see, who is refused, and 2000 broken messages and requests.
set -euo pipefail
cd "$(dirname "$0")"
/usr/bin/python3 -m unittest discover -q -p 'test_*.py'
exec /usr/bin/python3 fuzz.py 2000
