#pragma once
// Sheets that hang on one bone: capes, cloaks, sashes, hair without joints of its own. A sheet is a connected shell of
// the surface, or some that lie on each other, that follows one bone rigidly, is thin or long, and hangs from it.

#include "rigspace/parts/part.h"

#include <string>
#include <vector>

namespace rigspace {

struct Sheet {
  std::string name;                                   ///< of the part: "cape", "ponytail"; "sheet" where no name fits
  std::string preset;                                 ///< of the part: "cape", or "hair"
  std::string piece;                                  ///< the drawn piece that holds the first point
  int bone = -1;                                      ///< into Character::bones: all points follow it
  std::vector<int> points;                            ///< of the rig, ascending
  Vec3 attached = Vec3::Zero(), free = Vec3::Zero();  ///< middles of the two ends at rest, scene space
  double length = 0, width = 0, thickness = 0;        ///< scene units
  bool open = false;                          ///< has a rim from end to end, as against two skins around an inside
  std::vector<std::string> reasons, against;  ///< one sentence each; it is a sheet if nothing is against it

  bool accepted() const { return against.empty(); }
};

/// Every shell that follows one bone and is long enough to be a sheet, with the reasons for and against it. Empty for a
/// rig that is not built in or has no bones.
std::vector<Sheet> sheet_candidates(const Character& character);

/// The accepted candidates, the longest first.
std::vector<Sheet> find_sheets(const Character& character);

/// The shells of these points, measured: ends, extents, thickness; no names and no reasons. The points follow one bone,
/// which is found. Throws Error where they do not.
Sheet measured_sheet(const Character& character, std::vector<int> points);

/// Whether a bone is an arm or a hand by its name. Sheets do not collide with these: clips swing arms through capes,
/// and an elbow that has passed a cape would push it out on the wrong side.
bool is_arm(std::string_view bone);

/// A part for a sheet, and for all points of the meshes that a pattern names. The latter throws Error for a mesh that
/// does not follow one bone; empty if no mesh has such a name.
Part sheet_part(const Sheet& sheet);
std::vector<Part> sheet_parts_from_pattern(const Character& character, std::string_view pattern,
                                           std::string_view preset);

/// A garment that follows several bones. New joints take weight from one bone each, so it gets none; a cloth solver
/// moves it.
struct Drape {
  std::string name;        ///< by the word of its mesh or material: "dress", "cape"
  std::string piece;       ///< the drawn piece that it is
  std::vector<int> bones;  ///< into Character::bones: those with a tenth of its weights and more, the largest first
  double height = 0;       ///< scene units, at rest
};

/// Pieces called after a garment or hair that follow several bones, are open, and whose lower end hangs free of all
/// else. A piece that is sewn to another one, as a dress modelled into a body, is none.
std::vector<Drape> find_drapes(const Character& character);

/// "Dress hangs on 3 bones (..) and gets no joints of its own; as cloth it moves: rigspace cloth simulate, with ..".
std::string sentence_of(const Character& character, const Drape& drape);

}  // namespace rigspace
