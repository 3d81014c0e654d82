#include "golden/export.hpp"

namespace fusecheck::golden {

std::string_view smoke_check_script() {
  return R"(#!/usr/bin/env python3
"""Smoke check with numpy alone: is every element where a legal kernel of this recipe may put it? Usage: check.py [DIR]
It sees no bias and knows no other recipe: 'fusecheck compare' decides. Exit: 0 pass, 1 fail, 2 wrong file, 3 nothing."""
import hashlib, pathlib, sys
import numpy as np

def load(path, dtype, shape):
    stored = "<u2" if dtype == "bfloat16" else np.dtype(dtype)
    array = np.load(path) if path.suffix == ".npy" else np.fromfile(path, dtype=stored)
    if array.size != np.prod(shape, dtype=int) or array.dtype != stored:
        print(f"{path}: {array.size} x {array.dtype}, expected {shape} x {dtype}"); sys.exit(2)
    array = (array.astype("<u4") << 16).view("<f4") if dtype == "bfloat16" else array
    return array.astype(np.float64).reshape(shape)

root, results = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."), []
for line in (root / "SHA256SUMS").read_text().splitlines():
    digest, name = line.split("  ", 1)
    if hashlib.sha256((root / name).read_bytes()).hexdigest() != digest:
        print(f"{name}: is not the file that was exported"); sys.exit(3)
for fields in map(str.split, (root / "meta.txt").read_text().splitlines()):
    if fields[0] != "output" or not (root / fields[6]).exists():
        continue
    shape = [int(n) for n in fields[5].split("x") if n != "scalar"]
    got, low, high = (load(root / fields[i], fields[2], shape) for i in (6, 8, 9))
    bad = ~((got >= low) & (got <= high) | np.isnan(low) & np.isnan(got))
    print("FAIL" if bad.any() else "pass", fields[1], f"{bad.sum()} of {bad.size} outside", np.argwhere(bad)[:1].tolist())
    results.append(bad.any())
sys.exit(3 if not results else int(any(results)))
)";
}

}  // namespace fusecheck::golden
