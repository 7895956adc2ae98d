#pragma once
// Which clips a word on a command line means: `Walk` for a clip that its file calls "Armature|Walk".

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// Places of the names that `text` means, ascending, by the first of these rules that meets any:
///  1. the name itself;
///  2. the name behind its last | : or /;
///  3. a pattern with * or ?, on the name or on what is behind its last | : or /;
///  4. the same three without regard to case.
/// A pattern may mean many. Empty if nothing is met.
std::vector<int> matching_names(std::span<const std::string> names, const std::string& text);

/// The same for one clip of many. Throws Error, with `file` in its sentence, if there is none, or if a text that is no
/// pattern could mean several; `where` is what the clips are in: "file", "recipe".
std::vector<int> clips_meant(std::span<const std::string> names, const std::string& text, const std::string& file,
                             const char* where = "file");

/// As a shell reads it: as it is where that is safe, otherwise in single quotes.
std::string shell_quoted(const std::string& text);

}  // namespace rigspace
