#include "blend_translation.h"

#include "plain_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/process_rig.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

namespace rigspace {
namespace {

using SortedJson = nlohmann::json;

constexpr int kPoses = 16;
constexpr double kClose = 1e-5;  // of the size; Blender computes in single precision
constexpr double kWidest = 1.5;  // radians: where wrong orders of rotation show

/// The rig that was built, seen as the process was: a map whose points alone are known. What is simulated on it is then
/// the same body, held by the same points, and so the same motion, whichever of the two computes it.
class Translated final : public Rig {
 public:
  Translated(std::shared_ptr<const BuiltInRig> rig, std::vector<Bone> bones)
      : rig_(std::move(rig)), bones_(std::move(bones)) {}

  const std::shared_ptr<const BuiltInRig>& parts() const { return rig_; }
  const std::vector<Bone>& bones() const { return bones_; }

  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return rig_->traits(); }
  std::unique_ptr<Workspace> make_workspace() const override { return rig_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override { rig_->evaluate(workspace, p, s); }
  void evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const override {
    rig_->evaluate_batch(workspace, P, S);
  }
  void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
    rig_->jacobian(workspace, p, free, J);
  }
  void pull(Workspace& workspace, In p, In g, Vec& g_p) const override { rig_->pull(workspace, p, g, g_p); }
  bool rest_jacobian(Workspace& workspace, In p, std::vector<Mat3>& B) const override {
    return rig_->rest_jacobian(workspace, p, B);
  }
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override { return rig_->restricted(points); }

 private:
  std::shared_ptr<const BuiltInRig> rig_;
  std::vector<Bone> bones_;
};

/// Anywhere in the limits; where there are none, an ordinary change or a wide angle from rest.
double random_value(const Control& control, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const double u = unit(random);
  if (control.unit == Unit::scalar && std::isfinite(control.max - control.min) && control.max - control.min < 1e3)
    return control.min + 0.5 * (1 + u) * (control.max - control.min);
  const double reach = control.unit == Unit::angle ? kWidest : control.typical;
  return std::clamp(control.rest + reach * u, control.min, control.max);
}

/// Column k is a pose; orientations, four controls each, have any direction.
Mat random_poses(std::span<const Control> controls, int count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Mat P(std::ssize(controls), count);
  for (int k = 0; k < count; ++k)
    for (Eigen::Index c = 0; c < P.rows(); ++c)
      P(c, k) = controls[c].unit == Unit::quaternion ? normal(random) : random_value(controls[c], random);
  return P;
}

/// The rest pose with one control moved, a column each.
Mat single_poses(const Rig& rig, const Mat& somewhere) {
  Mat P = rig.rest().replicate(1, somewhere.rows());
  P.diagonal() = somewhere.col(0);
  return P;
}

/// The largest distance of a point, of each pose.
Vec gaps(const Rig& a, const Rig& b, const Mat& P) {
  Mat A, B;
  a.evaluate_batch(*a.make_workspace(), P, A);
  b.evaluate_batch(*b.make_workspace(), P, B);
  Vec result(P.cols());
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    const Vec difference = A.col(k) - B.col(k);
    result[k] =
        Eigen::Map<const Eigen::Matrix3Xd>(difference.data(), 3, difference.size() / 3).colwise().norm().maxCoeff();
  }
  return result;
}

std::string shown_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

/// "an armature with shape keys"
std::string kind_of(const SortedJson& plain) {
  const bool bones = plain["joints"].size() > 1, shapes = !plain["shapes"].empty();
  return bones && shapes ? "an armature with shape keys" : bones ? "an armature" : shapes ? "shape keys" : "rigid";
}

/// How a rig that is not what Blender computes differs from it.
std::string difference(const Rig& blender, const Rig& built, const Mat& poses, double size, double gap) {
  std::string why = "translated it would be off by " + shown_number(gap / size) + " of its size";
  Eigen::Index worst = 0;
  const double most = gaps(blender, built, single_poses(blender, poses)).maxCoeff(&worst);
  return why + (most > kClose * size ? ", in " + blender.controls()[worst].name : ", where controls act together");
}

}  // namespace

void translate(Character& character, const std::string& source) {
  const auto* process = dynamic_cast<const ProcessRig*>(character.rig.get());
  if (process == nullptr || process->plain().empty()) return;
  const SortedJson plain = SortedJson::parse(process->plain());
  const auto stays = [&](const std::string& why) {
    character.warnings.push_back("Blender itself computes it: " + why);
  };
  if (plain.contains("why")) return stays(plain["why"].is_string() ? plain["why"].get<std::string>() : "it says so");
  std::shared_ptr<const BuiltInRig> built;
  std::vector<Bone> bones;
  try {
    built = build_plain_rig(process->plain(), process->controls(), process->point_count(), source, &bones);
  } catch (const Error& error) {
    return stays(error.what());
  }
  const double size = bounding_box(rest_surface(character).points).size().maxCoeff();
  const Mat poses = random_poses(process->controls(), kPoses);
  const double gap = gaps(*process, *built, poses).maxCoeff();
  if (!(gap <= kClose * size)) return stays(difference(*process, *built, poses, size, gap));
  character.rig = std::make_shared<Translated>(built, std::move(bones));
  character.warnings.push_back(kind_of(plain) + ": translated, within " + shown_number(gap / size) + " of Blender");
}

Character with_joints(Character character) {
  if (const auto* translated = dynamic_cast<const Translated*>(character.rig.get())) {
    character.bones = translated->bones();
    character.rig = std::shared_ptr<const BuiltInRig>(translated->parts());
  }
  return character;
}

}  // namespace rigspace
