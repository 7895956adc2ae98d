#pragma once
// Settings of a folder for every run of files below it: rigspace.settings.json in the folder of the input or in one
// above it.
//
//   {"unit": 0.01, "protect": ["prop*"], "never": ["belly"], "amount": 0.7, "set": {"tail.rate": 2},
//    "loop": ["Cheer*"], "once": ["Wave"]}
//
// Options of a command go before the file of the folder, that before those of folders above it, and these before the
// file that $RIGSPACE_SETTINGS names. Lists of all files are joined.

#include "rigspace/parts/part_finder.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rigspace {

inline constexpr const char* kSettingsFile = "rigspace.settings.json";

struct FolderSettings {
  std::vector<std::filesystem::path> files;  ///< that were read, the nearest first
  double unit = 0;                           ///< metres per unit of the file; 0: not given
  double amount = 1;                         ///< factor on the amount of parts that are found
  std::vector<std::string> protect;          ///< patterns of joints whose skin gets no soft joints
  std::vector<std::string> never;            ///< names or presets of parts that are never found by themselves
  /// `tail.rate` and its value, as --set; left out where a character has no such part.
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> loop, once;  ///< patterns of clips; left out where a character has no such clip

  bool any() const { return !files.empty(); }
  /// "rigspace.settings.json: unit 0.01, never belly"; empty if there is no file.
  std::string in_words() const;
};

/// The settings for an input file, which need not be there. Throws Error with the line and field that are wrong.
FolderSettings folder_settings(const std::filesystem::path& input);

/// Whether a part is one that `never` names, by its name (ear_l is an ear) or its preset.
bool is_never(const FolderSettings& settings, const Part& part);

/// Takes back the choice of such parts, with the file as the reason.
void leave_out(const FolderSettings& settings, PartSearch& search);

/// Writes fields into a folder's file, beside those that it has. `changes`: a field and its value as text: a number
/// for unit and amount, `tail.rate=2` for set, one pattern for lists, to which it is added; an empty value removes the
/// field. Throws Error. Returns the file.
std::filesystem::path change_folder_settings(const std::filesystem::path& folder,
                                             const std::vector<std::pair<std::string, std::string>>& changes);

}  // namespace rigspace
