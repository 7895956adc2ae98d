#pragma once
// Private to forces: which bones carry the vertices of a lattice, and what is inside.

#include "rigspace/apps/forces/force_body.h"
#include "rigspace/geometry/winding_number.h"

namespace rigspace {

/// Weights of joints at vertices, from those of the skin at the surface: harmonic inside, w minimising
///   sum over points |sum_c phi_c w_c - w_point|^2 + sum over edges |w_i - w_j|^2 / 10,
/// one for the joint at the vertices it holds. Rows sum to 1; at most eight joints each.
std::vector<std::vector<Influence>> lattice_weights(const ForceSkeleton& skeleton, const HexLattice& lattice,
                                                    const HexEmbedding& surface, std::span<const HeldVertex> held);

/// Of each cell the mean of its corners.
std::vector<std::vector<Influence>> rows_of_cells(const HexLattice& lattice,
                                                  const std::vector<std::vector<Influence>>& vertices);

/// The drawn surface with its seams closed, facing outward: it bounds the inside of the body.
WindingTree winding_of(const TriMesh& drawn);

/// Parts of the lattice (by edges) in which fewer than three vertices are held: all of theirs go to the joint that
/// carries them most, since nothing else keeps them in place.
void hold_loose_parts(const HexLattice& lattice, const std::vector<std::vector<Influence>>& rows,
                      std::vector<HeldVertex>& held);

}  // namespace rigspace
