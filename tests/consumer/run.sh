#!/usr/bin/env bash
# run.sh BUILD: installs the library into a scratch folder and builds programs against it by find_package: one of
# somebody else's, and the C++ of the README as it is written there. Both run under the address sanitizer, which sees
# memory that is written outside its bounds, and whose heap is not kinder to alignment than it must be.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
python3 "$here/snippets.py" "$here/../../README.md" "$scratch/readme.cpp"
for flags in "-O2" "-O0 -g -fsanitize=address" "-O2 -march=native"; do
  rm -rf "$scratch/build"
  cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_FLAGS="$flags" \
    -DREADME_SNIPPETS="$scratch/readme.cpp" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
  ninja -C "$scratch/build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
  (cd "$scratch" && ASAN_OPTIONS=detect_leaks=0 "$scratch/build/consumer" hero.glb &&
    ASAN_OPTIONS=detect_leaks=0 "$scratch/build/readme") || { echo "with $flags"; exit 1; }
done
