#!/usr/bin/env bash
# Everything that the program writes, before Khronos' validator: no error that was not in the file that came in.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ -d "$here/../viewer/node_modules/gltf-validator" ] || { echo "skipped: gltf-validator is not installed"; exit 77; }
exec /usr/bin/python3 "$here/validate_written.py" "$here/../viewer/validate.mjs" \
  "${RIGSPACE_ASSETS:-$here/../../../shared/assets}"
