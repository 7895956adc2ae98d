#pragma once
// A garment over clips of a character, from the input file to the written files: `rigspace cloth simulate` as a
// function, and what other fronts need of it.
//
//   simulate_cloth_file({.character = {.file = "knight.glb"}}, {.garment = "Knight_Cape", .clips = {"Walk*"}},
//                       "knight.cloth.glb");

#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/jobs/character_source.h"
#include "rigspace/jobs/events.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct ClothSource {
  CharacterSource character;
  std::filesystem::path motion = {};  ///< of an .obj: a cache of its points (point_character)
};

/// The options of `rigspace cloth simulate`, with the same names.
struct ClothRequest {
  std::string garment;                  ///< see DressedCharacter
  std::vector<std::string> clips = {};  ///< names or patterns; empty: the first, and into a glTF all that last
  double fps = 24;                      ///< frames a second
  double from = 0;                      ///< s of the clip
  std::optional<double> to = {};        ///< s; empty: the whole clip, and loops closed
  std::filesystem::path database = {};  ///< made by train_cloth; empty: all points
  DressOptions dress = {};
  WornOptions worn = {};
  SubspaceOptions subspace = {};
};

struct ClothClipResult {
  std::string clip;  ///< empty: at rest
  int frames = 0;
  ClothReport report;
};

struct ClothResult {
  std::vector<std::string> written;
  std::vector<ClothClipResult> clips;
  RelaxReport freed;
  bool self_contact = true;
  int given_points = 0, points = 0;  ///< of the garment, as given and as it was simulated
  int held = 0;                      ///< points that the body or a bone holds
  double unit = 1;                   ///< metres per scene unit
  int shapes = 0;                    ///< of a glTF: morph targets, and
  double shape_error = 0;            ///< m: the largest distance of a point from the simulation
  int sites = 0;                     ///< of the database
};

/// One clip's motion, for the writer below.
struct DressedClip {
  const Animation* clip = nullptr;
  ClothMotion motion;
};

/// The character's file with the garment on its joints and morph targets, in place of the piece that it was. Other
/// clips carry it by its joints alone. `source`: the file that the character is from.
struct DressedFile {
  int shapes = 0;
  double error = 0;  ///< m
};
DressedFile write_dressed(const std::filesystem::path& source, const std::filesystem::path& output,
                          const std::string& garment, const DressedCharacter& dressed,
                          std::span<const DressedClip> clips, const WornOptions& options = {});

/// Simulates and writes `output`: .glb or .gltf, or of one clip .mdd, .pc2 or an .obj sequence. Frames are kept in
/// OUT.partial until all is written: a run that was stopped, even by kill -9, goes on there. Throws Error before any
/// work where the request cannot be met, and Cancelled.
ClothResult simulate_cloth_file(const ClothSource& source, const ClothRequest& request,
                                const std::filesystem::path& output, const JobEvents& events = {});

/// The clips that these names and patterns mean; none: all that last, or the first alone.
std::vector<const Animation*> cloth_clips(const Character& character, const std::string& file,
                                          std::span<const std::string> names, bool all);

}  // namespace rigspace
