#include "rigspace/energy/rods.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <cmath>
#include <string>

namespace rigspace {
namespace {

void require_stiffness(int joint, double bend, double twist) {
  if (bend >= 0 && twist >= 0 && std::isfinite(bend) && std::isfinite(twist)) return;
  throw Error({.element = "joint " + std::to_string(joint),
               .value = std::to_string(bend) + " " + std::to_string(twist),
               .problem = "has stiffnesses of " + std::to_string(bend) + " and " + std::to_string(twist) + " N m/rad",
               .remedy = "expected zero or more"});
}

[[noreturn]] void bad_prior(const std::string& problem, const std::string& remedy) {
  throw Error({.code = ErrorCode::usage, .element = "prior on coordinates", .problem = problem, .remedy = remedy});
}

}  // namespace

Rods::Rods(std::vector<RodJoint> joints) : joints_(std::move(joints)) {
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    RodJoint& joint = joints_[k];
    require_stiffness(static_cast<int>(k), joint.bend, joint.twist);
    const double length = joint.axis.norm();
    if (!(length > 0) || !std::isfinite(length))
      throw Error({.element = "joint " + std::to_string(k),
                   .value = std::to_string(length),
                   .problem = "has an axis of no length",
                   .remedy = "point it at the joint's child"});
    joint.axis /= length;
  }
}

void Rods::set_stiffness(int joint, double bend, double twist) {
  require_stiffness(joint, bend, twist);
  joints_[static_cast<std::size_t>(joint)].bend = bend;
  joints_[static_cast<std::size_t>(joint)].twist = twist;
}

Mat3 Rods::stiffness(const RodJoint& joint) const {
  return joint.bend * Mat3::Identity() + (joint.twist - joint.bend) * joint.axis * joint.axis.transpose();
}

double Rods::value(const State&, In q) const {
  double sum = 0;
  for (const RodJoint& joint : joints_) {
    const Vec3 r = q.segment<3>(joint.first) - joint.rest;
    sum += 0.5 * r.dot(stiffness(joint) * r);
  }
  return sum;
}

void Rods::add_gradient(const State&, In q, double weight, Vec& g) const {
  for (const RodJoint& joint : joints_)
    g.segment<3>(joint.first) += weight * (stiffness(joint) * (q.segment<3>(joint.first) - joint.rest));
}

void Rods::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  for (const RodJoint& joint : joints_) {
    const int coordinates[] = {joint.first, joint.first + 1, joint.first + 2};
    const Mat3 H = weight * stiffness(joint);
    sink.add_coordinates(coordinates, H.data());
  }
}

std::unique_ptr<Energy> Rods::sampled(std::span<const WeightedElement> elements) const {
  std::vector<RodJoint> part;
  for (const auto& [k, weight] : elements) {
    part.push_back(joints_[static_cast<std::size_t>(k)]);
    part.back().bend *= weight;
    part.back().twist *= weight;
  }
  return std::make_unique<Rods>(std::move(part));
}

CoordinatePrior::CoordinatePrior(std::vector<int> coordinates, Vec springs, Vec target)
    : coordinates_(std::move(coordinates)), springs_(std::move(springs)), target_(std::move(target)) {
  if (springs_.size() != static_cast<int>(coordinates_.size()) || target_.size() != springs_.size())
    bad_prior("has springs, targets and coordinates in different numbers", "one spring and one target each");
  if (springs_.size() > 0 && !(springs_.minCoeff() >= 0 && springs_.allFinite()))
    bad_prior("has a negative spring", "expected zero or more");
}

CoordinatePrior::CoordinatePrior(std::vector<int> coordinates, Mat A, Vec target)
    : coordinates_(std::move(coordinates)), A_(std::move(A)), target_(std::move(target)) {
  const int n = static_cast<int>(coordinates_.size());
  if (A_.rows() != n || A_.cols() != n || target_.size() != n)
    bad_prior("has a matrix, targets and coordinates of different sizes", "one row and one target each");
  if (n == 0) return;
  const double size = A_.cwiseAbs().maxCoeff();
  if (!A_.allFinite() || (A_ - A_.transpose()).cwiseAbs().maxCoeff() > 1e-12 * size)
    bad_prior("has a matrix that is not symmetric", "give its symmetric part");
  // Eigenvalues of a matrix without negative ones carry rounding of this size.
  if (symmetric_eigenvalues(A_)(0) < -1e-10 * size)
    bad_prior("has a matrix with a negative eigenvalue", "no minimum exists; use project_positive_definite");
}

double CoordinatePrior::force(In q, int row) const {
  if (springs_.size() > 0) return springs_(row) * (q(coordinates_[row]) - target_(row));
  double sum = 0;
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const int column = static_cast<int>(k);
    sum += A_(column, row) * (q(coordinates_[k]) - target_(column));
  }
  return sum;
}

double CoordinatePrior::value(const State&, In q) const {
  double sum = 0;
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const int row = static_cast<int>(k);
    sum += 0.5 * (q(coordinates_[k]) - target_(row)) * force(q, row);
  }
  return sum;
}

void CoordinatePrior::add_gradient(const State&, In q, double weight, Vec& g) const {
  for (std::size_t k = 0; k < coordinates_.size(); ++k) g(coordinates_[k]) += weight * force(q, static_cast<int>(k));
}

void CoordinatePrior::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  if (springs_.size() == 0) {
    const detail::BlockScratch scratch(static_cast<std::size_t>(A_.size()));
    Eigen::Map<Mat>(scratch.data(), A_.rows(), A_.cols()) = weight * A_;
    sink.add_coordinates(coordinates_, scratch.data());
    return;
  }
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const double H = weight * springs_(static_cast<int>(k));
    sink.add_coordinates({&coordinates_[k], 1}, &H);
  }
}

}  // namespace rigspace
