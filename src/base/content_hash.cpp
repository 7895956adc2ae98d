#include "rigspace/base/content_hash.h"

#define XXH_INLINE_ALL  // the header alone: users of an installed library need not link xxHash
#include <xxhash.h>

#include <cstdint>

namespace rigspace {

std::string content_hash(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  std::string text;
  for (const std::uint64_t half : {hash.high64, hash.low64})
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(half >> shift) & 15];
  return text;
}

std::string content_hash(std::string_view text) { return content_hash(std::as_bytes(std::span(text))); }

}  // namespace rigspace
