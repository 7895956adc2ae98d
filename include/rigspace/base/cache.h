#pragma once
// What takes long and comes out the same, kept between runs: in $RIGSPACE_CACHE, else $XDG_CACHE_HOME/rigspace, else
// ~/.cache/rigspace; `off` as the folder keeps nothing. Entries are checksummed; one that is damaged is as good as
// none. Nothing here throws: a cache that cannot be read or written is no cache.

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

/// Which build of the program this is, so that a changed one does not take for its own what another one left.
std::string program_stamp();

/// `kind` is a word, `content` all that the result depends on besides the program.
std::optional<std::vector<std::byte>> from_cache(std::string_view kind, std::span<const std::byte> content);
/// The oldest entries go where all together would be more than 256 MiB.
void to_cache(std::string_view kind, std::span<const std::byte> content, std::span<const std::byte> result);

}  // namespace rigspace
