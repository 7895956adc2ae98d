#pragma once
// Fill-reducing orders of sparse symmetric matrices.

#include "rigspace/optimize/sparse_assembly.h"

#include <vector>

namespace rigspace {

/// Row `i` of P H P^T is row `result[i]` of H. By METIS nested dissection on the graph of blocks.
std::vector<int> fill_reducing_order(const SparseAssembly&);

}  // namespace rigspace
