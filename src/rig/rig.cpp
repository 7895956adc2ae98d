#include "rigspace/rig/rig.h"

#include "rigspace/rig/differences.h"

#include <numeric>

namespace rigspace {
namespace {

/// Some points of a rig that can only be evaluated as a whole.
class PickedRig final : public Rig {
 public:
  PickedRig(const Rig& whole, std::span<const int> points) : whole_(whole), points_(points.begin(), points.end()) {}

  std::span<const Control> controls() const override { return whole_.controls(); }
  int point_count() const override { return static_cast<int>(points_.size()); }
  Traits traits() const override { return whole_.traits(); }
  std::unique_ptr<Workspace> make_workspace() const override {
    auto memory = std::make_unique<Memory>();
    memory->whole = whole_.make_workspace();
    return memory;
  }

  void evaluate(Workspace& workspace, In p, Vec& s) const override {
    auto& memory = static_cast<Memory&>(workspace);
    whole_.evaluate(*memory.whole, p, memory.s);
    s.resize(3 * point_count());
    for (int i = 0; i < point_count(); ++i) s.segment<3>(3 * i) = memory.s.segment<3>(3 * points_[i]);
  }

  void evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const override {
    auto& memory = static_cast<Memory&>(workspace);
    Mat all;
    whole_.evaluate_batch(*memory.whole, P, all);
    S.resize(3 * point_count(), P.cols());
    for (int i = 0; i < point_count(); ++i) S.middleRows<3>(3 * i) = all.middleRows<3>(3 * points_[i]);
  }

  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    BlockJacobian all;
    whole_.jacobian(*static_cast<Memory&>(workspace).whole, p, free, all);
    J.columns = all.columns;
    J.start.assign(1, 0);
    J.column.clear();
    std::vector<int> entries;
    for (const int i : points_) {
      for (int e = all.start[i]; e < all.start[i + 1]; ++e) {
        J.column.push_back(all.column[e]);
        entries.push_back(e);
      }
      J.start.push_back(static_cast<int>(J.column.size()));
    }
    J.value = all.value(Eigen::all, entries);
  }

 private:
  struct Memory : Workspace {
    std::unique_ptr<Workspace> whole;
    Vec s;
  };
  const Rig& whole_;
  std::vector<int> points_;
};

}  // namespace

void Rig::evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const {
  S.resize(3 * point_count(), P.cols());
  Vec s;
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    evaluate(workspace, P.col(k), s);
    S.col(k) = s;
  }
}

void Rig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  difference_jacobian(*this, workspace, p, free, J);
}

void Rig::pull(Workspace& workspace, In p, In g, Vec& g_p) const {
  std::vector<int> all(controls().size());
  std::iota(all.begin(), all.end(), 0);
  BlockJacobian J;
  jacobian(workspace, p, all, J);
  J.pull(g, g_p);
}

bool Rig::rest_jacobian(Workspace&, In, std::vector<Mat3>&) const { return false; }

std::unique_ptr<Rig> Rig::restricted(std::span<const int> points) const {
  return std::make_unique<PickedRig>(*this, points);
}

Vec Rig::rest() const {
  Vec p(static_cast<Eigen::Index>(controls().size()));
  for (std::size_t i = 0; i < controls().size(); ++i) p[static_cast<Eigen::Index>(i)] = controls()[i].rest;
  return p;
}

}  // namespace rigspace
