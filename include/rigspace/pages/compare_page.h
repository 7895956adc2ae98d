#pragma once
// Two motions of one character as one self-contained page: side by side, wiped, or one as a ghost over the other, with
// a slider between them, and how far apart their points are over time.

#include "rigspace/anim/character.h"

#include <string>
#include <vector>

namespace rigspace {

/// How far apart two clips of a character are, at even times from 0 to the end of the longer one. Distances are shares
/// of the character's size, the longest side of its drawn points at rest.
struct MotionDistance {
  std::vector<double> largest;  ///< of all drawn points
  std::vector<double> mean;     ///< of those that are ever apart, by more than a millionth of the size
  int apart = 0;                ///< how many those are
  int drawn = 0;                ///< of so many

  double most() const;     ///< over all times
  double average() const;  ///< likewise, the mean of `mean`
};

/// `rate`: times per second, at least.
MotionDistance motion_distance(const Character& character, const Animation& first, const Animation& second,
                               double rate = 60);

struct ComparePageOptions {
  std::string title;  ///< plain text, UTF-8
  std::string first,
      second;  ///< names of clips of the character; the first is the ghost where they lie over each other
  std::string first_label, second_label;  ///< what they are called on the page; empty: by the names of the clips
  std::vector<std::string> notes = {};    ///< sentences for people
};

/// Rigs that are not made of joints and shapes alone are played out for the page, to a tenth of the tolerance of other
/// files. Throws Error where the character has no such clip, and where the program was built without the page.
std::string compare_page(const Character& character, const ComparePageOptions& options);

}  // namespace rigspace
