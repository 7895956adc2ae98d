#pragma once
// Private to rig: the points of a lattice in a plan. Free points become points of the plan, which controls move; the
// others are constants of the graph.

#include "rigspace/rig/rig_plan.h"

#include <array>
#include <string>

namespace rigspace {

/// "belly_231": the point at (1, 2, 0), counted from 1 along each axis; with _ between numbers if one has two digits.
std::string lattice_point_name(const std::string& lattice, const std::array<int, 3>& at);

/// Size, frame, basis and what happens outside; no points and no slots.
LatticeDescription shape_of(const plan::Lattice& lattice);

/// Where the point of this index is along the three axes, each from 0; x counts fastest.
std::array<int, 3> lattice_place(const std::array<int, 3>& size, int index);

/// Whether the point may move: all points where `free` is empty.
bool is_free(const plan::Lattice& lattice, const std::array<int, 3>& at);

/// The plan with the free points of its lattices among its points. Throws Error for sizes out of range.
RigPlan with_lattice_points(RigPlan plan);

/// Adds a point that stays where it is to the graph; its slot.
int add_fixed_point(ControlGraph& graph, const Vec3& position);

}  // namespace rigspace
