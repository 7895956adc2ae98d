#!/usr/bin/env bash
# The Blender add-on, from its zip.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v blender >/dev/null || { echo "skipped: blender is not installed"; exit 77; }
cd "$here"
exec /usr/bin/python3 -m unittest -q test_addon test_real test_sketch test_match test_cloth
