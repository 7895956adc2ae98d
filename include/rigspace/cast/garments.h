#pragma once
// Garments for make_character("mannequin"), made in code: they rest outside the body, free of intersections.

#include "rigspace/anim/character.h"
#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct CastGarment {
  std::string name;
  TriMesh mesh;  ///< at rest in the mannequin's space, metres; open, facing outward
  /// The panels that the cloth is cut from: of each triangle's corners the place on the flat cloth, metres. Triangles
  /// of one panel that share a corner have it at one place; seams join the corners of different panels.
  std::vector<std::array<Eigen::Vector2d, 3>> panel_corners;
  std::vector<int> panel;   ///< of each triangle
  std::vector<int> pinned;  ///< points that the body holds: a waistband, a collar; ascending; empty for tops
};

struct GarmentOptions {
  int vertices = 5000;    ///< sweater and trousers: exactly as many; skirt and cape: the nearest that their grid allows
  double offset = 0.008;  ///< metres between body and cloth, about

  void validate() const;  ///< at least 800 vertices; 2 mm to 3 cm
};

inline constexpr int kThesisSweaterVertices = 29510;  ///< of the Shirt, Thesis 6.3.1

/// "sweater", "trousers", "skirt", "cape".
std::span<const std::string_view> garment_names();
/// Throws Error, with the names, if there is none of this name.
CastGarment make_garment(std::string_view name, const GarmentOptions& options = {});

/// The mannequin (joints alone) with garments as pieces that follow its joints, by weights carried over from its skin:
/// to be looked at, and where simulations start. Same controls and clips as make_character("mannequin").
Character make_dressed_mannequin(std::span<const CastGarment> garments);

}  // namespace rigspace
