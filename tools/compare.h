#pragma once
// Two motions of one character: where they come from.

#include "command.h"

#include <string>

namespace rigspace::tools {

struct CompareSource {
  std::string file;       ///< the character: what load_character reads
  std::string clips;      ///< curves for it; empty: its own clips
  std::string clip;       ///< of these; empty: the last that the other motion has too
  std::string over;       ///< curves, or a character that moves alike
  std::string over_clip;  ///< of these; empty: the one that `clip` names, else the first
};

/// The character with both clips alone; their names differ. Repairs are reported on standard error, unless the answer
/// is JSON.
struct Compared {
  Character character;
  std::string first, second;              ///< names of clips
  std::string first_label, second_label;  ///< the files', where they differ, else the clips'
};

/// Throws Error if a clip is missing, names a control that the character does not have, or moves another character.
Compared load_compared(const CompareSource& source, const Context& context);

}  // namespace rigspace::tools
