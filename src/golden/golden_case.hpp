// One golden case in memory and in its folder.
#pragma once

#include <filesystem>
#include <string>

#include "fusecheck/case_spec.hpp"
#include "fusecheck/tensor.hpp"
#include "golden/manifest.hpp"

namespace fusecheck::golden {

inline constexpr std::int64_t largest_stored =
    64 * 1024;  // bytes of payload; a larger tensor is re-derived, unless given

struct GoldenCase {
  Manifest manifest;
  Tensors tensors;  // every entry of the manifest by name, stored or not
};

// How the reference is run; the bits depend on neither.
struct Execution {
  int threads = 1;
  std::string simd = "auto";
};

// The case in its one spelling: op by its name, not by an alias. Usage error unless it names one data set.
CaseSpec canonical(CaseSpec spec);
// Everything, computed from the case and the inputs that are given instead of drawn.
GoldenCase derive(const CaseSpec& spec, const Execution& execution, const Tensors& given = {});
// The case of a manifest again: given inputs are read from its folder, the limit is taken over. Errors as read_stored.
GoldenCase derive_again(const std::filesystem::path& folder, const Manifest& manifest, const Execution& execution);
Tensors given_inputs(const std::filesystem::path& folder, const Manifest& manifest);  // by name: x

// Where the case lies in a tree: the op, then the case line spelled for file systems, cut to 96 characters, and the
// first eight digits of its SHA-256.
std::string folder_of(const CaseSpec& spec);

// Writes case.json and the stored tensors to `folder`, which must not be there yet: whole or not at all.
void write_case(const GoldenCase& golden, const std::filesystem::path& folder);
std::int64_t stored_bytes(const Manifest& manifest);

Manifest read_manifest(const std::filesystem::path& folder);  // errors as parse_manifest
// A stored tensor. No-verdict error: the file is absent, or its payload is not the one that the manifest names. Usage
// error: no readable .npy, another type or shape.
Tensor read_stored(const std::filesystem::path& folder, const Manifest& manifest, const Entry& entry);
// All of them, so that every hash is verified.
void verify_stored(const std::filesystem::path& folder, const Manifest& manifest);

}  // namespace fusecheck::golden
