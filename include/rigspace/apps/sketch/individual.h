#pragma once
// Creatures of one's own from drawn parts (Thesis 5.3.2): each drawing is recognised, the part that it shows is put
// there, and its place, pose and shape are fitted together.

#include "rigspace/apps/sketch/part_classifier.h"
#include "rigspace/apps/sketch/sketch_poser.h"
#include "rigspace/cast/sketch_curves.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A part that creatures may have. Its icon is drawn; its controls of group "place" put it somewhere, those of groups
/// "pose" and "shape" are fitted.
struct CreaturePart {
  std::string name;
  Character character;
  SketchAbstraction icon;
  DrawnPart drawn;       ///< the icon again, for the classifier
  std::string root;      ///< the bone at which it is attached, which carries all of it
  bool carries = false;  ///< others are attached to it
};

/// An abstraction of the cast as one of this application.
SketchAbstraction sketch_abstraction(const CastAbstraction& curves);

/// The icon of a part with these controls, as the camera sees it.
std::vector<Stroke> seen_icon(const CreaturePart& part, const Camera& camera, In p);

/// The six parts of the cast's dragon. The torso carries the others.
std::vector<CreaturePart> dragon_database();

/// The strokes of one part of a drawing, and the name of the group that they are in.
struct DrawnGroup {
  std::string name;
  std::vector<Stroke> strokes;
};

/// A drawing by its parts (Stroke::part), in the order in which these begin; strokes that name none are one part
/// together.
std::vector<DrawnGroup> drawn_groups(std::span<const Stroke> strokes);

/// The kind that a group's name says, as "head" and "head 2" do; empty if it says none.
std::string kind_in_name(std::span<const CreaturePart> database, const std::string& name);

/// A part of a creature, as it was drawn.
struct FittedPart {
  int part = -1;  ///< into the database
  double probability = 1;
  Vec p;  ///< all controls of the part
  SketchReport report;
  std::vector<Stroke> strokes, seen;  ///< as drawn, and its icon as it is seen after the fit
  int carrier = -1;                   ///< which of the creature's parts it is attached to; -1: none
  int carrier_bone = -1;              ///< bone of that part's character
};

struct IndividualOptions {
  SketchOptions fit = {};
  /// A part whose root is nearer than this to the carrier's surface, as a share of the carrier's size, is moved onto
  /// it.
  double attach = 0.25;
};

/// The database must outlive the creature.
class Creature {
 public:
  Creature(std::span<const CreaturePart> database, const PartClassifier& classifier, const Camera& camera,
           const IndividualOptions& options = {});

  /// Adds the part that the strokes show; `kind` names it, empty: it is recognised. Returns its number. Throws Error,
  /// and changes nothing, for strokes that are none.
  int add(std::span<const Stroke> strokes, const std::string& kind = {});
  /// Draws a part anew: another shape, another pose, or another kind.
  void redraw(int number, std::span<const Stroke> strokes, const std::string& kind = {});
  void remove(int number);
  /// The part once more, moved by this much in the picture, view units: another head, another pair of legs. Its shape
  /// and pose are those of the first. Returns its number.
  int repeat(int number, const Vec2& by);

  const std::vector<FittedPart>& parts() const { return parts_; }
  /// All parts as one character; controls and clips of each part have its number before their names: "2.tail_01.rx".
  /// Its clip "Alive" plays the first clip of every part on top of the fitted pose.
  Character character(std::string name) const;
  /// The same as joints with linear skins alone, which every engine plays: at rest as it was drawn, a part's root
  /// hangs on its carrier's bone. Clips: "Alive", and each part's own, "2.Swish".
  Character plain(std::string name) const;

  const Camera& camera() const { return camera_; }
  std::span<const CreaturePart> database() const { return database_; }
  /// All parts at once, as they were kept (creature_file.h).
  void set_parts(std::vector<FittedPart> parts) { parts_ = std::move(parts); }

 private:
  FittedPart fitted(std::span<const Stroke> strokes, const std::string& kind) const;
  void attach(FittedPart& part) const;

  std::span<const CreaturePart> database_;
  const PartClassifier& classifier_;
  Camera camera_;
  IndividualOptions options_;
  std::vector<FittedPart> parts_;
};

}  // namespace rigspace
