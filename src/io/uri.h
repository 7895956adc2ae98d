#pragma once
// What glTF files put where a file name goes: relative references and data: addresses.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// True for "data:...".
bool is_data_uri(std::string_view uri);

/// The bytes of a data: address, base64 or percent-encoded; nothing if it is malformed.
std::optional<std::vector<std::byte>> decode_data_uri(std::string_view uri);

/// The path that a reference means, inside the folder of the file that holds it; nothing if it is absolute, remote,
/// malformed or leads out of that folder (also by "%2e%2e").
std::optional<std::string> decode_relative_path(std::string_view uri);

/// A file name as a reference: everything but letters, digits and "-._~/" percent-encoded.
std::string encode_relative_path(std::string_view path);

std::string encode_base64(std::span<const std::byte> bytes);
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace rigspace
