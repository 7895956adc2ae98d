#pragma once
// The characters of table 5.1 of the Thesis with the table's own controls and curves, and drawings of their poses.

#include "rigspace/apps/sketch/sketch_poser.h"

#include <string>
#include <vector>

namespace rigspace::bench {

/// Seen from the front, 20 degrees aside.
Camera front_of(const Character& character);
bool in_cast(const std::string& name);

struct SketchScene {
  std::string name, member, abstraction;
  double paper = 0;  ///< seconds
  bool black_box = false;
};

/// The rows of table 5.1, and an outline that is found in the view.
std::vector<SketchScene> table_5_1();

struct MadeScene {
  Character character;
  SketchAbstraction abstraction;
  std::vector<int> free;  ///< what the table counts as p
  Camera camera;
  std::shared_ptr<long> evaluations;  ///< of a black box, by whomever
};
MadeScene made(const SketchScene& scene);

/// The character with its rig behind a callable: poses alone, counted.
void make_black_box(MadeScene& scene);

/// Strokes drawn with a hand of 1 % jitter from random poses of up to 35 degrees a joint, in any order; `named`: they
/// say which curve they are.
std::vector<std::vector<Stroke>> drawings_of(SketchPoser& poser, const Character& character, int count, bool named);

/// How far a pose's curves are from what was drawn, as it was drawn, shares of the size: root mean squares between
/// nearest points (within 15 % of the length), and between points at the same share of both lengths. Strokes have the
/// names of the curves that they were drawn from, or are pooled.
struct Residuals {
  double nearest = 0, by_shares = 0;
};
Residuals residuals_of(const SketchPoser& poser, const Camera& camera, In p, const std::vector<Stroke>& strokes);

}  // namespace rigspace::bench
