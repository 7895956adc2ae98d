#!/usr/bin/env bash
# The page in a real browser.
set -euo pipefail
cd "$(dirname "$0")"
[ -d node_modules/playwright-core ] || { echo "skipped: playwright-core is not installed"; exit 77; }
command -v chromium >/dev/null || { echo "skipped: chromium is not installed"; exit 77; }
[ -f "$RIGSPACE_VIEWER_HTML" ] || { echo "skipped: the page was not built"; exit 77; }
exec node suite.mjs
