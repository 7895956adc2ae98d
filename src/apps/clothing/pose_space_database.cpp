#include "rigspace/apps/clothing/pose_space_database.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

/// Unit vectors that span the mean of the columns and, about it, their components down to a threshold.
Mat site_vectors(Mat D, const DatabaseOptions& options) {
  const Vec mean = D.rowwise().mean();
  std::vector<Vec> vectors;
  const double size = D.norm() / std::sqrt(double(D.cols()));
  const auto add = [&](Vec v) {
    const double length = v.norm();
    for (int round = 0; round < 2; ++round)
      for (const Vec& other : vectors) v -= other.dot(v) * other;
    if (v.norm() > 1e-6 * length) vectors.push_back(v.normalized());
  };
  if (mean.norm() > 1e-9 * size && size > 0) add(mean);
  D.colwise() -= mean;
  const SymmetricEigen gram = symmetric_eigen(D.transpose() * D);
  const double largest = std::sqrt(std::max(0.0, gram.values[gram.values.size() - 1]));
  for (Eigen::Index k = gram.values.size() - 1; k >= 0 && std::ssize(vectors) < options.most_vectors; --k) {
    const double sigma = std::sqrt(std::max(0.0, gram.values[k]));
    if (sigma <= std::max(options.threshold * largest, 1e-9 * size)) break;
    add(D * gram.vectors.col(k) / sigma);
  }
  Mat result(D.rows(), std::ssize(vectors));
  for (std::size_t k = 0; k < vectors.size(); ++k) result.col(static_cast<Eigen::Index>(k)) = vectors[k];
  return result;
}

}  // namespace

std::vector<int> pose_clusters(const Mat& places, int count) {
  const Eigen::Index n = places.cols();
  std::vector<Eigen::Index> starts;
  Vec nearest = (places.colwise() - places.rowwise().mean()).colwise().squaredNorm().transpose();
  Eigen::Index next = 0;
  nearest.minCoeff(&next);  // the one in the middle, then always the one farthest from those taken
  nearest.setConstant(std::numeric_limits<double>::max());
  while (std::ssize(starts) < std::min<Eigen::Index>(count, n)) {
    starts.push_back(next);
    nearest = nearest.cwiseMin((places.colwise() - places.col(next)).colwise().squaredNorm().transpose());
    if (!(nearest.maxCoeff(&next) > 0)) break;  // no further place
  }
  Mat centres(places.rows(), std::ssize(starts));
  for (std::size_t k = 0; k < starts.size(); ++k) centres.col(static_cast<Eigen::Index>(k)) = places.col(starts[k]);
  std::vector<int> cluster(static_cast<std::size_t>(n), -1);
  for (int round = 0; round < 100; ++round) {
    bool changed = false;
    Mat sums = Mat::Zero(places.rows(), centres.cols());
    Vec members = Vec::Zero(centres.cols());
    for (Eigen::Index i = 0; i < n; ++i) {
      Eigen::Index best = 0;
      (centres.colwise() - places.col(i)).colwise().squaredNorm().minCoeff(&best);
      changed = changed || cluster[static_cast<std::size_t>(i)] != best;
      cluster[static_cast<std::size_t>(i)] = static_cast<int>(best);
      sums.col(best) += places.col(i), members[best] += 1;
    }
    if (!changed) break;
    for (Eigen::Index k = 0; k < centres.cols(); ++k)
      if (members[k] > 0) centres.col(k) = sums.col(k) / members[k];
  }
  // Numbers without gaps.
  std::vector<int> number(static_cast<std::size_t>(centres.cols()), -1);
  int used = 0;
  for (int& each : cluster) {
    int& mine = number[static_cast<std::size_t>(each)];
    if (mine < 0) mine = used++;
    each = mine;
  }
  return cluster;
}

void DatabaseOptions::validate() const {
  require_option(sites >= 1, "DatabaseOptions.sites", sites, "expected at least one");
  require_option(threshold >= 0 && threshold < 1, "DatabaseOptions.threshold", threshold, "expected 0 to 1");
  require_option(most_vectors >= 1, "DatabaseOptions.most_vectors", most_vectors, "expected at least one");
}

PoseSpaceDatabase::PoseSpaceDatabase(PoseParameters parameters, const Mat& z,
                                     const std::function<void(int pose, Vec& u)>& displacements, std::string garment,
                                     const DatabaseOptions& options, const ProgressCallback& progress)
    : parameters_(std::move(parameters)), garment_(std::move(garment)) {
  options.validate();
  if (z.cols() == 0 || !z.allFinite())
    throw Error({.element = "the database of a garment",
                 .problem = "was given no poses, or some that are not finite",
                 .remedy = "train it on at least one clip"});
  const std::vector<int> cluster = pose_clusters(z, options.sites);
  const int count = 1 + *std::max_element(cluster.begin(), cluster.end());
  places_ = Mat::Zero(z.rows(), count);
  auto data = std::make_shared<std::vector<float>>();
  first_ = {0};
  for (int site = 0; site < count; ++site) {
    report(progress, "building the database", double(site) / count);
    std::vector<int> members;
    for (std::size_t k = 0; k < cluster.size(); ++k)
      if (cluster[k] == site) members.push_back(static_cast<int>(k));
    Mat D;
    Vec u;
    for (std::size_t m = 0; m < members.size(); ++m) {
      displacements(members[m], u);
      if (points_ == 0) points_ = static_cast<int>(u.size() / 3);
      if (u.size() != 3 * points_ || u.size() == 0 || !u.allFinite())
        throw Error({.element = "training pose " + std::to_string(members[m]),
                     .value = std::to_string(u.size() / 3),
                     .problem = "has displacements of other points than the garment's, or some that are not finite",
                     .remedy = "simulate it again"});
      if (m == 0) D.resize(u.size(), std::ssize(members));
      D.col(static_cast<Eigen::Index>(m)) = u;
      places_.col(site) += z.col(members[m]) / double(members.size());
    }
    const Eigen::MatrixXf vectors = site_vectors(std::move(D), options).cast<float>();
    data->insert(data->end(), vectors.data(), vectors.data() + vectors.size());
    first_.push_back(first_.back() + static_cast<std::size_t>(vectors.cols()));
  }
  data_ = {data, data->data()};
  measure_radius();
  report(progress, "building the database", 1);
}

void PoseSpaceDatabase::measure_radius() {
  double sum = 0;
  const int n = site_count();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < a; ++b) sum += (places_.col(a) - places_.col(b)).norm();
  radius_ = n > 1 ? sum / (0.5 * n * (n - 1)) : 1;
}

int PoseSpaceDatabase::vector_count() const { return static_cast<int>(first_.back()); }

BasisVectors PoseSpaceDatabase::vectors(int site) const {
  const auto rows = static_cast<std::size_t>(3) * static_cast<std::size_t>(points_);
  const std::size_t from = first_[static_cast<std::size_t>(site)], to = first_[static_cast<std::size_t>(site) + 1];
  return {data_.get() + rows * from, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(to - from)};
}

double PoseSpaceDatabase::nearest_site(In place) const {
  return std::sqrt((places_.colwise() - place).colwise().squaredNorm().minCoeff());
}

std::vector<PoseSpaceDatabase::Near> PoseSpaceDatabase::sites_near(In place, double radius) const {
  std::vector<Near> near;
  for (int site = 0; site < site_count(); ++site)
    if (const double distance = (places_.col(site) - place).norm(); distance <= radius)
      near.push_back({site, distance});
  std::sort(near.begin(), near.end(), [](const Near& a, const Near& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.site < b.site);
  });
  return near;
}

}  // namespace rigspace
