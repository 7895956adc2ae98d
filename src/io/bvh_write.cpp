#include "bvh_names.h"
#include "curve_format.h"
#include "euler.h"
#include "joint_motion.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr std::array<int, 3> kDefaultOrder = {2, 0, 1};  // Zrotation Xrotation Yrotation

/// Words end at blanks and braces.
bool allowed_in_bvh(char c, bool) { return c != ' ' && c != '{' && c != '}'; }

std::string offset_text(const Vec3& v) {
  return "OFFSET " + exact_text(v.x()) + " " + exact_text(v.y()) + " " + exact_text(v.z()) + "\n";
}

class Writer {
 public:
  explicit Writer(const BvhMotion& motion) : motion_(motion), children_(motion.joints.size()) {
    for (std::size_t j = 0; j < motion.joints.size(); ++j)
      if (const int parent = motion.joints[j].parent; parent >= 0) children_[parent].push_back(static_cast<int>(j));
  }

  std::string write() {
    text_ = "HIERARCHY\n";
    for (std::size_t j = 0; j < motion_.joints.size(); ++j)
      if (motion_.joints[j].parent < 0) joint(static_cast<int>(j), 0);
    text_ += "MOTION\nFrames: " + std::to_string(motion_.frames.cols()) +
             "\nFrame Time: " + exact_text(1 / motion_.rate) + "\n";
    for (Eigen::Index k = 0; k < motion_.frames.cols(); ++k)
      for (Eigen::Index c = 0; c < motion_.frames.rows(); ++c)
        text_ += exact_text(motion_.frames(c, k)) + (c + 1 < motion_.frames.rows() ? " " : "\n");
    return std::move(text_);
  }

 private:
  void joint(int j, int depth) {
    const BvhJoint& joint_here = motion_.joints[j];
    const std::string indent(depth, '\t');
    text_ += indent + (joint_here.end_site     ? "End Site"
                       : joint_here.parent < 0 ? "ROOT " + joint_here.name
                                               : "JOINT " + joint_here.name);
    text_ += "\n" + indent + "{\n" + indent + "\t" + offset_text(joint_here.offset);
    if (!joint_here.end_site) {
      text_ += indent + "\tCHANNELS " + std::to_string(joint_here.channels.size());
      for (const BvhChannel channel : joint_here.channels)
        text_.append(" ").append(kBvhChannelNames[static_cast<int>(channel)]);
      text_ += "\n";
    }
    for (const int child : children_[j]) joint(child, depth + 1);
    text_ += indent + "}\n";
  }

  const BvhMotion& motion_;
  std::vector<std::vector<int>> children_;
  std::string text_;
};

/// BVH's rest pose has no rotations. With G the turn of a joint from rest, in the scene's axes, and o its offset there:
/// x_j = x_parent + G_parent o_j,  and the channels hold  G_parent^T G_j.
class FromCharacter {
 public:
  FromCharacter(const Character& character, JointMotion motion, const BvhOptions& options)
      : motion_(std::move(motion)), options_(options), names_("BVH", allowed_in_bvh) {
    result_.name = character.name;
    for (const Affine& rest : motion_.rest) rest_turn_.push_back(rotation_of(linear(rest)));
    Eigen::AlignedBox3d box;
    for (const Affine& rest : motion_.rest) box.extend(Vec3(translation(rest)));
    size_ = std::max(box.diagonal().norm(), 1e-6);
    unit_ = std::pow(10, 8 - std::floor(std::log10(size_)));
    children_.resize(motion_.joints.size());
    for (std::size_t j = 0; j < motion_.joints.size(); ++j) {
      const int parent = motion_.joints[j].parent;
      (parent < 0 ? roots_ : children_[parent]).push_back(static_cast<int>(j));
    }
  }

  BvhMotion convert(double rate) {
    result_.rate = rate;
    if (roots_.size() > 1) {
      // Other programs read the first root alone.
      result_.joints.push_back({.name = names_("scene"), .channels = channels_of("", true)});
      columns_.emplace_back(motion_.times.size() * 6, 0.0);
      result_.warnings.push_back("the " + std::to_string(roots_.size()) +
                                 " roots stand below a joint \"scene\": BVH has one");
    }
    for (const int root : roots_) add(root, roots_.size() > 1 ? 0 : -1);
    if (moving_ > 0)
      result_.warnings.push_back(std::to_string(moving_) + (moving_ == 1 ? " joint moves" : " joints move") +
                                 " against the parent and has six channels, which some programs do not read");
    names_.tell(result_.warnings);
    gather();
    return std::move(result_);
  }

 private:
  double round_length(double value) const { return std::round(value * unit_) / unit_ + 0.0; }
  Vec3 round_length(const Vec3& v) const { return {round_length(v[0]), round_length(v[1]), round_length(v[2])}; }

  Mat3 turn(int j, std::size_t frame) const {
    return j < 0 ? Mat3(Mat3::Identity())
                 : Mat3(rotation_of(linear(motion_.world[frame][j])) * rest_turn_[j].transpose());
  }

  std::vector<BvhChannel> channels_of(const std::string& name, bool moves) const {
    std::vector<BvhChannel> channels;
    if (options_.like)
      for (const BvhJoint& joint : options_.like->joints)
        if (joint.name == name && !joint.end_site) channels = joint.channels;
    const bool has_turns = std::any_of(channels.begin(), channels.end(), [](BvhChannel c) { return !is_position(c); });
    if (!has_turns)
      for (const int axis : kDefaultOrder) channels.push_back(static_cast<BvhChannel>(3 + axis));
    const bool has_positions = std::any_of(channels.begin(), channels.end(), is_position);
    if (moves && !has_positions)
      channels.insert(channels.begin(), {BvhChannel::x_position, BvhChannel::y_position, BvhChannel::z_position});
    return channels;
  }

  bool is_end_site(int j) const {
    const JointMotion::Joint& joint = motion_.joints[j];
    const std::string name = joint.name.substr(0, joint.name.rfind('#'));  // the second of a joint is _end#2
    return children_[j].empty() && !joint.keyed && joint.parent >= 0 && name.ends_with("_end");
  }

  /// A joint and all below it, depth first.
  void add(int j, int parent) {
    const JointMotion::Joint& joint = motion_.joints[j];
    const Vec3 offset_rest = translation(motion_.rest[j]) -
                             (joint.parent < 0 ? Vec3(Vec3::Zero()) : Vec3(translation(motion_.rest[joint.parent])));
    const int index = static_cast<int>(result_.joints.size());
    BvhJoint made{.name = names_(joint.name), .parent = parent, .offset = round_length(offset_rest)};
    std::vector<Vec3> places;
    double travel = 0;
    for (std::size_t f = 0; f < motion_.times.size(); ++f) {
      const auto& world = motion_.world[f];
      const Vec3 above = joint.parent < 0 ? Vec3(Vec3::Zero()) : Vec3(translation(world[joint.parent]));
      places.push_back(turn(joint.parent, f).transpose() * (translation(world[j]) - above));
      travel = std::max(travel, (places.back() - offset_rest).norm());
    }
    const bool moves = joint.parent < 0 || travel > 1e-6 * size_;
    if (is_end_site(j) && !moves) {
      made.end_site = true;
      result_.joints.push_back(std::move(made));
      columns_.emplace_back();
      return;
    }
    moving_ += moves && joint.parent >= 0;
    made.channels = channels_of(joint.name, moves);
    columns_.push_back(numbers(j, made.channels, places));
    result_.joints.push_back(std::move(made));
    for (const int child : children_[j]) add(child, index);
    if (children_[j].empty()) {
      // A leaf must end somewhere: a third of its own bone further on.
      result_.joints.push_back({.name = names_(joint.name + "_end"),
                                .parent = index,
                                .offset = round_length(offset_rest / 3),
                                .end_site = true});
      columns_.emplace_back();
    }
  }

  std::vector<double> numbers(int j, const std::vector<BvhChannel>& channels, const std::vector<Vec3>& places) const {
    std::array<int, 3> order{};
    int found = 0;
    for (const BvhChannel channel : channels)
      if (!is_position(channel)) order[found++] = axis_of(channel);
    std::vector<double> values;
    Vec3 angles = Vec3::Zero();
    for (std::size_t f = 0; f < motion_.times.size(); ++f) {
      angles = to_euler(order, turn(motion_.joints[j].parent, f).transpose() * turn(j, f), angles);
      int next = 0;
      for (const BvhChannel channel : channels)
        values.push_back(is_position(channel) ? round_length(places[f][axis_of(channel)])
                                              : std::round(1e6 * kDegrees * angles[next++]) / 1e6 + 0.0);
    }
    return values;
  }

  void gather() {
    std::size_t rows = 0;
    for (const BvhJoint& joint : result_.joints) rows += joint.channels.size();
    result_.frames.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(motion_.times.size()));
    Eigen::Index row = 0;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const auto count = static_cast<Eigen::Index>(result_.joints[j].channels.size());
      if (count > 0)
        result_.frames.middleRows(row, count) = Eigen::Map<const Mat>(columns_[j].data(), count, result_.frames.cols());
      row += count;
    }
  }

  JointMotion motion_;
  const BvhOptions& options_;
  NameMap names_;
  std::vector<Mat3> rest_turn_;
  double size_ = 1, unit_ = 1;
  std::vector<int> roots_;
  std::vector<std::vector<int>> children_;
  std::vector<std::vector<double>> columns_;  // per joint of the result: its channels, frame after frame
  int moving_ = 0;
  BvhMotion result_;
};

/// Throws where read_bvh would not read the result.
void require_readable(const JointMotion& motion) {
  std::vector<int> depth;
  for (const JointMotion::Joint& joint : motion.joints) {
    depth.push_back(joint.parent < 0 ? 1 : depth[joint.parent] + 1);
    if (depth.back() < kBvhDeepest - 2 && depth.size() < kBvhMostJoints / 2) continue;
    throw Error({.element = "joint \"" + joint.name + "\"",
                 .problem = "is too much for BVH",
                 .remedy = "at most " + std::to_string(kBvhMostJoints) + " joints, " + std::to_string(kBvhDeepest) +
                           " deep, are read again"});
  }
}

}  // namespace

std::string to_bvh(const BvhMotion& motion) { return Writer(motion).write(); }

BvhMotion to_motion(const Character& character, const Animation& animation, const BvhOptions& options) {
  require_option(options.fps == 0 || (options.fps >= 1 && options.fps <= 1000), "frames per second", options.fps,
                 "expected 1 to 1000");
  const double fps = options.fps > 0 ? options.fps : key_rate(animation);
  JointMotion motion = joint_motion(character, animation, whole_frames(animation.duration, fps));
  require_readable(motion);
  return FromCharacter(character, std::move(motion), options).convert(fps);
}

std::vector<CurveText> curves_bvh(CurveJob& job) {
  BvhMotion motion = to_motion(job.character, job.animation, {.fps = job.fps});
  motion.name = job.animation.name;
  job.notes.insert(job.notes.end(), motion.warnings.begin(), motion.warnings.end());
  const Sampler clip(job.animation, job.character.rig->controls());
  if (const std::string sentence = unbound_sentence(clip.unbound()); !sentence.empty()) job.notes.push_back(sentence);
  if (!clip_channels(job.character.rig->controls(), clip.animated()).others.empty())
    job.notes.push_back("BVH holds joints alone: weights and other numbers are not written");
  return {{"", to_bvh(motion)}};
}

}  // namespace rigspace
