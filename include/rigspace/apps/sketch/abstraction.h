#pragma once
// Sketch abstractions: curves that move with a character and stand for it in a drawing (Thesis 5.2.1). They are made by
// the rigger and kept in the rig file (block "sketch"), drawn onto the surface, or made from skeleton and view
// (automatic.h).

#include "rigspace/anim/character.h"
#include "rigspace/apps/sketch/stroke.h"
#include "rigspace/geometry/closest_point.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// One term of a place: a point of the rig, or a point that a bone carries.
struct PlacePart {
  int point = -1;            ///< of the rig; or
  int bone = -1;             ///< into Character::bones, and
  Vec3 rest = Vec3::Zero();  ///< where that point is in the rest pose, scene space
  double weight = 1;
};

/// The weighted sum of up to four parts: barycentric on a triangle, rigid to a bone, skinned to several.
using CurvePlace = std::vector<PlacePart>;

struct SketchCurve {
  std::string name;
  std::vector<CurvePlace> places;  ///< in drawing order
  bool closed = false;
};

struct SketchAbstraction {
  std::string name;
  std::string camera;  ///< the view that it was made for, as --camera takes it; empty: any
  std::vector<SketchCurve> curves;
  Correspondence correspondence = Correspondence::ordered;  ///< which procedure fits its curves (5.2.2)
  bool pooled = false;        ///< all strokes together belong to all curves together: outlines
  bool follows_view = false;  ///< it is the outline of one pose, and is found again as the pose changes
};

/// What a rig file holds under "sketch".
struct SketchBlock final : CharacterExtension {
  std::vector<SketchAbstraction> abstractions;
};

/// The abstractions that came with a character; empty if none did.
std::span<const SketchAbstraction> abstractions_of(const Character& character);
/// The character with one more, or with one of the same name replaced.
void keep_abstraction(Character& character, SketchAbstraction abstraction);

/// {"abstractions": [..]}, as rig files have it under "sketch", for characters of any kind. `name` is for messages,
/// which say what is wrong in it. At least one.
std::vector<SketchAbstraction> parse_abstractions(std::string text, const std::string& name,
                                                  const Character& character);

/// Lets rig files have the block "sketch". Programs call it before they read files; twice does no harm.
void register_sketch_block();

/// A character's drawn surface in a pose, for rays from a camera.
class SeenSurface {
 public:
  SeenSurface(const Character& character, In p, const Camera& camera);

  /// What is seen at a place of the picture, as barycentric parts on the triangle that was hit; empty: nothing.
  CurvePlace hit(const Vec2& z) const;
  /// The surface point nearest to a point of space.
  CurvePlace nearest(const Vec3& x) const;
  /// Whether nothing lies between the eye and x, a point of the surface with outward normal n.
  bool visible(const Vec3& x, const Vec3& n) const;
  /// Whether the eye is within the surface's box and surrounded by it.
  bool eye_inside() const;

  const TriMesh& mesh() const { return tree_.mesh(); }
  const ViewPlane& view() const { return view_; }

 private:
  CurvePlace on(int triangle, const Vec3& barycentric) const;

  ViewPlane view_;
  TriangleTree tree_;
  Vec3 eye_;
  bool perspective_;
  double size_;
};

/// A stroke drawn onto the character becomes a curve on the triangles that it hits (5.2, with the triangle that was hit
/// in place of the three closest vertices). Parts beside the character are left out. Throws Error, naming the stroke,
/// if it hits nothing.
SketchCurve project_stroke(const SeenSurface& surface, const Stroke& stroke, int places = 48);
/// The same for a curve in space: the nearest points of the surface.
SketchCurve project_curve(const SeenSurface& surface, std::span<const Vec3> curve, std::string name, int places = 48);

}  // namespace rigspace
