#include "rigspace/apps/clothing/reference_mapping.h"

#include "rigspace/optimize/sparse_system.h"

#include <utility>
#include <vector>

namespace rigspace {
namespace {

/// Takes blocks in x and gives the system B_i^T H_ij B_j.
class PulledBlocks final : public BlockSink {
 public:
  explicit PulledBlocks(const KinematicReference& reference) : reference_(reference) {}

  void send_to(System& system) { system_ = &system; }

  void add(std::span<const int> points, const double* H) override {
    const auto size = static_cast<Eigen::Index>(3 * points.size());
    block_ = Eigen::Map<const Mat>(H, size, size);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Mat3& B = reference_.matrix(points[i]);
      const auto at = static_cast<Eigen::Index>(3 * i);
      block_.middleRows<3>(at) = B.transpose() * block_.middleRows<3>(at).eval();
      block_.middleCols<3>(at) = block_.middleCols<3>(at).eval() * B;
    }
    system_->add(points, block_.data());
  }

  /// Every coordinate of x depends on the three of its point.
  void add_coordinates(std::span<const int> coordinates, const double* H) override {
    const auto count = static_cast<Eigen::Index>(coordinates.size());
    Mat J = Mat::Zero(count, 3 * count);
    whole_.clear();
    for (Eigen::Index k = 0; k < count; ++k) {
      const int point = coordinates[static_cast<std::size_t>(k)] / 3,
                axis = coordinates[static_cast<std::size_t>(k)] % 3;
      J.block<1, 3>(k, 3 * k) = reference_.matrix(point).row(axis);
      for (int c = 0; c < 3; ++c) whole_.push_back(3 * point + c);
    }
    block_ = J.transpose() * Eigen::Map<const Mat>(H, count, count) * J;
    system_->add_coordinates(whole_, block_.data());
  }

 private:
  const KinematicReference& reference_;
  System* system_ = nullptr;
  Mat block_;
  std::vector<int> whole_;
};

struct UntransformedState : State {
  explicit UntransformedState(const KinematicReference& reference) : blocks(reference) {}
  PulledBlocks blocks;
};

}  // namespace

LinearMapping displacement_mapping(const KinematicReference& reference, const Mat& A, DisplacementSpace space) {
  if (space == DisplacementSpace::rest) return {reference.rest(), A};
  Vec origin;
  reference.transform(reference.rest(), origin);
  if (space == DisplacementSpace::posed) return {std::move(origin), A};
  Mat J(A.rows(), A.cols());
  Vec column;
  for (Eigen::Index k = 0; k < A.cols(); ++k) {
    reference.push(A.col(k), column);
    J.col(k) = column;
  }
  return {std::move(origin), std::move(J)};
}

Vec displacement_of(const KinematicReference& reference, In x, DisplacementSpace space) {
  if (space == DisplacementSpace::rest) return x - reference.rest();
  Vec result;
  if (space == DisplacementSpace::posed) {
    reference.transform(reference.rest(), result);
    return x - result;
  }
  reference.untransform(x, result);
  return result - reference.rest();
}

std::unique_ptr<State> UntransformedMapping::make_state() const {
  return std::make_unique<UntransformedState>(reference_);
}

std::unique_ptr<System> UntransformedMapping::make_system(const State&) const {
  return std::make_unique<SparseSystem>(size_q(), 3);
}

BlockSink& UntransformedMapping::sink(State& state, System& system) const {
  auto& blocks = state_as<UntransformedState>(state).blocks;
  blocks.send_to(system);
  return blocks;
}

}  // namespace rigspace
