#!/usr/bin/env bash
# run.sh BUILD: installs the library into a scratch folder and builds a program against it by find_package.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$1" --prefix "$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
cmake -S "$here" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
ninja -C "$scratch/build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
"$scratch/build/consumer"
