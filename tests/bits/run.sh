#!/usr/bin/env bash
# Are the bits the same? Builds fusecheck_hashes in several ways, runs each on every SIMD path of this CPU with 1, 2 and
# 7 threads, and compares all they print with one another and with hashes.txt.
#
#   run.sh          g++ -O0, g++ -O3 and clang -O2
#   run.sh full     24 builds: g++ and clang, -O0 to -O3, -march x86-64, x86-64-v3, x86-64-v4 (hours on two cores)
#   run.sh update   as run.sh, then writes hashes.txt: only for a change of bits that is meant and in the CHANGELOG
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/tests/bits
jobs=${JOBS:-$(nproc)}
mode=${1:-compare}
[[ $mode == compare || $mode == full || $mode == update ]] || { echo "usage: run.sh [full|update]" >&2; exit 2; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# build FOLDER [CMAKE ARGS...]: configures where that was not done yet, and builds the one program.
build() {
  local folder=$1
  shift
  {
    [[ -f $root/build/$folder/build.ninja ]] || (cd "$root" && cmake "$@" -DFUSECHECK_TESTS=OFF)
    cmake --build "$root/build/$folder" --parallel "$jobs" --target fusecheck_hashes
  } >"$out/log" 2>&1 || { tail -n 60 "$out/log" >&2; echo "run.sh: cannot build build/$folder" >&2; exit 1; }
}

folders=()
if [[ $mode == full ]]; then
  for compiler in g++ clang++-19; do
    for level in 0 1 2 3; do
      for march in x86-64 x86-64-v3 x86-64-v4; do
        folder=bits/$compiler-O$level-$march
        build "$folder" -G Ninja -S "$root" -B "$root/build/$folder" -DCMAKE_CXX_COMPILER="$compiler" \
          -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O$level -march=$march"
        folders+=("$folder")
      done
    done
  done
else
  build debug --preset debug
  build release --preset release
  build clang --preset clang
  folders=(debug release clang)
fi

# One run a line: FOLDER PATH THREADS FILE.
paths=$("$root/build/${folders[0]}/fusecheck_hashes" --paths)
number=0
for folder in "${folders[@]}"; do
  for path in $paths; do
    for threads in 1 2 7; do
      number=$((number + 1))
      echo "$folder $path $threads $out/$(printf %04d "$number")"
    done
  done
done >"$out/runs"

run_one() {
  "$root/build/$1/fusecheck_hashes" --simd "$2" --threads "$3" >"$4" || { echo "run.sh: $1 $2 $3 failed" >&2; return 1; }
}
export root
export -f run_one
xargs -P "$jobs" -L 1 bash -c 'run_one "$@"' run_one <"$out/runs"

status=0
first=
while read -r folder path threads file; do
  if [[ -z $first ]]; then
    first=$file
    first_name="build/$folder $path, $threads threads"
  elif ! cmp -s "$first" "$file"; then
    ((status == 0)) || continue
    status=1
    echo "the bits differ: $first_name (<) and build/$folder $path, $threads threads (>)"
    diff "$first" "$file" | head -n 20 || true
  fi
done <"$out/runs"

# Sums of groups only, to keep the committed file small.
grep ' \* ' "$first" >"$out/hashes.txt"
if [[ $mode == update && $status == 0 ]]; then
  cp "$out/hashes.txt" "$here/hashes.txt"
  echo "hashes.txt is written; see 'git diff --stat' and say in the CHANGELOG why bits change"
elif ! cmp -s "$out/hashes.txt" "$here/hashes.txt"; then
  status=1
  echo "the bits differ from hashes.txt (<); 'run.sh update' where that is meant"
  diff "$here/hashes.txt" "$out/hashes.txt" | head -n 20 || true
fi
((status == 0)) || exit 1
echo "$(grep -vc ' \* ' "$first") outputs, ${#folders[@]} builds x $(wc -w <<<"$paths") paths x 3 threads, all equal"
