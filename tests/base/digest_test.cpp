#include "base/digest.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace fusecheck::base {
namespace {

std::string hash_of(const std::string& text) { return sha256_hex(std::as_bytes(std::span<const char>(text))); }

// The examples that NIST publishes for FIPS 180-4 (SHA256.pdf), and the empty message.
TEST(Digest, AgreesWithTheExamplesOfNist) {
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace fusecheck::base
