#!/usr/bin/env bash
# run.sh [pages | studio]: the page in a real browser; of the files beside this one those of the studio, the others, or all.
set -euo pipefail
cd "$(dirname "$0")"
[ -d node_modules/playwright-core ] || { echo "skipped: playwright-core is not installed"; exit 77; }
command -v chromium >/dev/null || { echo "skipped: chromium is not installed"; exit 77; }
[ -f "$RIGSPACE_VIEWER_HTML" ] || { echo "skipped: the page was not built"; exit 77; }
case ${1:-all} in
  studio) files=$(ls studio*.test.mjs) ;;
  pages) files=$(ls *.test.mjs | grep -v '^studio') ;;
  *) files=$(ls *.test.mjs) ;;
esac
exec node suite.mjs $files
