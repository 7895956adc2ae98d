#pragma once
// Hashes of contents: equal hashes mean equal bytes, whatever a file's name and date.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rigspace {

/// XXH3 of the bytes, 128 bits as 32 hexadecimal digits; the same on every machine. Against accidents, not attackers.
std::string content_hash(std::span<const std::byte> bytes);
std::string content_hash(std::string_view text);

}  // namespace rigspace
