#!/usr/bin/env bash
# run.sh BUILD: installs the library into a scratch folder and builds programs against it by find_package, as strangers
# would: one on the whole library, the C++ of the README as it is written there, and a game on the component `realtime`,
# which is installed alone. Three sets of flags: Eigen's alignment is part of the interface, the address sanitizer sees
# memory that is written outside its bounds, and games are built without exceptions.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$1"; exit 1; }
logged() { "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }; }

logged cmake --install "$1" --component library --prefix "$scratch/prefix"
logged cmake --install "$1" --component realtime --prefix "$scratch/game"

# What is exported names targets and no file of this machine, and nothing under the GPL, whatever the program has.
exported=("$scratch"/*/lib*/cmake/rigspace/*.cmake "$scratch"/*/lib*/*/cmake/rigspace/*.cmake)
for file in "${exported[@]}"; do
  [ -e "$file" ] || continue
  if grep -HnE '(^|[";:=<> (])/(usr|home|opt|work|tmp|root|build)' "$file"; then fail "a path of this machine is exported"; fi
  if grep -HniE 'cholmod|boost|cli11' "$file"; then fail "a library is exported that the library does not need"; fi
done
if nm -A --undefined-only "$scratch"/prefix/lib*/librigspace_*.a "$scratch"/prefix/lib*/*/librigspace_*.a 2>/dev/null | grep -E ' U (cholmod|rtc[A-Z]|png_)'; then
  fail "the installed library needs CHOLMOD, Embree or libpng"
fi
if nm -A --undefined-only "$scratch"/game/lib*/*.a "$scratch"/game/lib*/*/*.a 2>/dev/null | grep -E ' U (METIS|_ZN3tbb|cholmod|rtc[A-Z]|png_|fopen|socket|mkdir)'; then
  fail "rigspace::realtime needs more than Eigen"
fi

# program FLAGS FOLDER PREFIX: configures and builds.
program() {
  rm -rf "$scratch/build"
  logged cmake -S "$2" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$3" -DCMAKE_CXX_FLAGS="$1" -DCMAKE_C_FLAGS="${4:-}" \
    -DREADME_SNIPPETS="${snippets:-}" -DCMAKE_DISABLE_FIND_PACKAGE_embree=ON -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON
  logged ninja -C "$scratch/build"
}
python3 "$here/snippets.py" "$here/../../README.md" "$scratch/readme.cpp"
for flags in "-O2" "-O0 -g -fsanitize=address" "-O2 -march=native -D_GLIBCXX_ASSERTIONS"; do
  snippets=
  [[ $flags == -O0* ]] && snippets=$scratch/readme.cpp  # once
  program "$flags" "$here" "$scratch/prefix"
  (cd "$scratch" && export ASAN_OPTIONS=detect_leaks=0 && "$scratch/build/consumer" hero.glb &&
    { [ ! -e "$scratch/build/readme" ] || "$scratch/build/readme"; }) || fail "with $flags"
done
for flags in "-O2" "-O3 -march=native -fsanitize=address" "-Og -fno-exceptions -fno-rtti -D_GLIBCXX_ASSERTIONS"; do
  program "$flags" "$here/game" "$scratch/game" -Wall
  ASAN_OPTIONS=detect_leaks=0 "$scratch/build/loads" || fail "rigspace::realtime with $flags"
done
