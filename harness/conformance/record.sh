#!/bin/sh
# Records what a Hopper GPU does in every conformance case: harness/conformance/record.sh FOLDER
# Needs nvcc (CUDA_HOME, PATH or /usr/local/cuda) and one GPU; no Node. Takes less than a minute. Writes one JSON file per
# group of cases into FOLDER and fails when the GPU disagrees with a reference.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

nvcc=nvcc
command -v nvcc >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
[ -z "${CUDA_HOME:-}" ] || nvcc=$CUDA_HOME/bin/nvcc
# A wait that never ends traps after about two seconds.
flags="-std=c++20 -O1 -gencode arch=compute_90a,code=sm_90a -DTW_WAIT_LIMIT=4000000000ull -diag-suppress 177
  -I $root/kit/device -I $root/kit/host -I $here"

echo "building" >&2
pids=
for source in "$here"/*.cu "$here"/main.cpp "$here"/worker.cpp "$here"/golden.cpp "$root"/harness/src/json*.cpp "$root"/harness/src/utf8.cpp; do
  # shellcheck disable=SC2086
  "$nvcc" $flags -c "$source" -o "$build/$(basename "$source").o" &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid"; done
"$nvcc" -gencode arch=compute_90a,code=sm_90a "$build"/*.o -o "$build/conformance"

driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader --id=0 2>/dev/null || echo unknown)
header=$(sha256sum "$root/kit/device/tw/ptx.cuh" | cut -d' ' -f1)
timeout 50 "$build/conformance" --record "$out" --date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --driver "$driver" --header "$header"
echo "wrote $(ls "$out" | tr '\n' ' ')to $out" >&2
