#pragma once
// The result of `rigspace simulate *.glb` as one HTML page: a card for each character with a live view of its own page,
// the parts that were found, and a row for each clip. Opens from disk, needs no network.

#include <optional>
#include <string>
#include <vector>

namespace rigspace {

/// A part that moves by itself.
struct BatchPart {
  std::string name;
  std::string preset;  ///< one word
  std::string reason;  ///< why it was found: a phrase; may be empty
};

/// A clip and what was measured on its result. Lengths are percent of the height: the character's largest extent at the
/// clip's start (ClipCheck). What was not measured is left out of the row.
struct BatchClip {
  std::string name;                            ///< of the artist's clip
  bool loop = false;                           ///< false: plays once
  std::string why = {};                        ///< the rule that decided that, after "since"; may be empty
  double duration = 0;                         ///< s, of the clip
  std::optional<double> seam_percent = {};     ///< of a loop: end against start; of others: the larger of the two ends
  std::optional<double> typical_percent = {};  ///< median over time of the largest deviation of a point
  std::optional<double> largest_percent = {};  ///< the largest deviation of a point at any time
  std::vector<std::string> problems = {};      ///< one phrase each, in plain words; empty: the clip passes
  std::optional<double> seconds = {};          ///< s that its simulation took
};

/// A character of the batch. It is right if it has no failure and all its clips pass.
struct BatchCharacter {
  std::string name;       ///< as it is shown: usually the input's file name
  std::string page = {};  ///< path of its own page, relative to the batch page, with '/'; empty: none
  std::vector<BatchPart> parts = {};
  std::string remark = {};                 ///< a sentence about the parts, or about why there are none; may be empty
  std::vector<BatchClip> clips = {};       ///< in the order of the file
  std::vector<std::string> warnings = {};  ///< a sentence each; they leave a character right
  std::string failure = {};                ///< the one sentence of a run that ended without a result; empty: it has one
  std::optional<double> seconds = {};      ///< s that the whole run took
};

struct BatchPage {
  std::string title = "rigspace";               ///< plain text, UTF-8: usually the folder's name
  std::vector<BatchCharacter> characters = {};  ///< in the order of the cards
  std::optional<double> seconds = {};  ///< s that the batch took, which is less than the sum if runs were parallel
};

/// The page. The pages of the characters are loaded into it from where they lie, a few at a time (WebGL contexts are
/// few), in their compact form: `hero.soft.html#compact`. Throws Error where the program was built without pages.
std::string batch_page(const BatchPage& batch);

}  // namespace rigspace
