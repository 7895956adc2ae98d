#pragma once
// Whole files in, whole files out: nothing is ever left half-written.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// The bytes of a file. Throws Error naming the file if it is missing, a folder, unreadable or larger than `max_bytes`.
std::vector<std::byte> read_file(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{1} << 31);

/// The same, as text.
std::string read_text(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{1} << 31);

/// Writes beside `path` and renames, so that a reader sees the old file or the whole new one. Missing folders of
/// `path` are an error, not created. Throws Error naming the file.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

/// The file that this code was loaded from: the program, or the module that an interpreter loaded (not the
/// interpreter's own file). Empty if unknown.
std::filesystem::path own_file();

}  // namespace rigspace
