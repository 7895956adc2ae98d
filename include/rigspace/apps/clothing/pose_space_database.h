#pragma once
// What a garment did in training, by pose (Thesis 6.2.2): sites spread over pose space by k-means, and at each the
// principal components of the displacements that were seen near it, before the skin turns them (6.8).
//
// Components are taken about the mean of a site, which they do not span; it is the site's first vector. All vectors
// have length 1; those of one site are orthogonal to each other.

#include "rigspace/apps/clothing/pose_parameters.h"
#include "rigspace/base/mapped_file.h"
#include "rigspace/base/progress.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

/// Vectors of a database: one a column, flattened displacements of the garment's points.
using BasisVectors = Eigen::Map<const Eigen::MatrixXf>;

struct DatabaseOptions {
  int sites = 18;           ///< at most; two or three for each motion that was trained on
  double threshold = 0.01;  ///< of a site's largest singular value: smaller ones are left out (epsilon_PCA)
  int most_vectors = 20;    ///< of one site

  void validate() const;
};

class PoseSpaceDatabase {
 public:
  /// `places`: where the training poses lie, a column each, as the parameters give it. `displacements(k, u)`: what the
  /// simulation did in pose k beyond the skinned shape, X + u under the skin; asked for once each, site after site, so
  /// that all of them need not fit into memory. `garment`: what the garment is, as content_hash gives it. Throws
  /// Cancelled.
  PoseSpaceDatabase(PoseParameters parameters, const Mat& places,
                    const std::function<void(int pose, Vec& u)>& displacements, std::string garment,
                    const DatabaseOptions& options = {}, const ProgressCallback& progress = {});

  /// From a file, whose vectors are read when they are used. Throws Error, naming the file, if it is no database, cut
  /// short, damaged (checksum), of a later version, or of another garment than the one given here.
  static PoseSpaceDatabase load(const std::filesystem::path& path, std::string_view garment = {});
  void save(const std::filesystem::path& path) const;

  const PoseParameters& parameters() const { return parameters_; }
  const std::string& garment() const { return garment_; }
  int site_count() const { return static_cast<int>(places_.cols()); }
  int vector_count() const;  ///< of all sites
  Vec place(int site) const { return places_.col(site); }
  BasisVectors vectors(int site) const;
  /// Vectors of all sites are numbered site by site.
  int first_vector(int site) const { return static_cast<int>(first_[static_cast<std::size_t>(site)]); }
  Eigen::Map<const Eigen::VectorXf> vector(int number) const {
    const std::size_t rows = static_cast<std::size_t>(3) * static_cast<std::size_t>(points_);
    return {data_.get() + rows * static_cast<std::size_t>(number), static_cast<Eigen::Index>(rows)};
  }
  int point_count() const { return points_; }

  /// The mean distance from a site to the others (Thesis: the radius in which sites are looked for).
  double radius() const { return radius_; }

  /// Distance from a place in pose space to the nearest site.
  double nearest_site(In place) const;

  struct Near {
    int site;
    double distance;
  };
  /// Sites within a radius of a place in pose space, nearest first.
  std::vector<Near> sites_near(In place, double radius) const;

 private:
  PoseSpaceDatabase() = default;
  void measure_radius();

  PoseParameters parameters_;
  std::string garment_;
  int points_ = 0;
  Mat places_;                         // one site a column
  std::vector<std::size_t> first_;     // per site and one more: the first of its vectors
  std::shared_ptr<const float> data_;  // all vectors, one after the other
  double radius_ = 0;
};

/// k-means from starts far from each other: for each column of `places` its cluster, 0 .. at most count - 1, none
/// empty. The same on every run.
std::vector<int> pose_clusters(const Mat& places, int count);

}  // namespace rigspace
