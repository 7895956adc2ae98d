#pragma once
// Results that take long to compute, kept between runs: in $RIGSPACE_CACHE, else $XDG_CACHE_HOME/rigspace, else
// ~/.cache/rigspace; with `off` as the folder nothing is kept. Entries are checksummed; a damaged one counts as absent.
// Nothing here throws: a cache that cannot be read or written is left out.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// Empty if nothing is to be kept.
std::filesystem::path cache_folder();

/// Identifies the build of the program, by its size and time. Keys do not depend on it, but on kAlgorithmVersion.
std::string program_stamp();

/// `kind` is a word, `content` all that the result depends on besides kAlgorithmVersion (algorithm_version.h).
std::optional<std::vector<std::byte>> from_cache(std::string_view kind, std::span<const std::byte> content);
/// The oldest entries go where all together would be more than 256 MiB.
void to_cache(std::string_view kind, std::span<const std::byte> content, std::span<const std::byte> result);

}  // namespace rigspace
