#include "weights_draft.h"

#include "message.h"

#include <algorithm>
#include <cstring>

namespace rigspace::studio {
namespace {

constexpr std::size_t kWeightsUndo = 100;

/// Letters that two names share at their beginnings and ends.
std::size_t alike(const std::string& a, const std::string& b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto [u, v] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return static_cast<std::size_t>((x - a.begin()) + (u - a.rbegin()));
}

}  // namespace

WeightsBody::WeightsBody(std::shared_ptr<const LiveCharacter> live) : live_(std::move(live)) {
  const Rig& rig = *character().rig;
  parts_ = skin_parts(character());
  if (parts_.empty())
    refuse("the character", "", "has no skin of two joints or more",
           "make one: rigspace rig weights statue.glb --skeleton hero.glb, or rigspace rig skeleton");
  rig.evaluate(*rig.make_workspace(), rig.rest(), rest_);
  places_.assign(static_cast<std::size_t>(rig.point_count()), {-1, -1});
  for (int k = 0; k < std::ssize(parts_); ++k) {
    const SkinPart& part = parts_[static_cast<std::size_t>(k)];
    TriMesh mesh = part.mesh;  // where it rests in the scene: a brush's radius is meant there
    for (int i = 0; i < std::ssize(part.points); ++i) {
      const int point_of_rig = part.points[static_cast<std::size_t>(i)];
      places_[static_cast<std::size_t>(point_of_rig)] = {k, i};
      const Vec3 x = point(rest_, point_of_rig);
      point(mesh.points, i) = x;
    }
    brushes_.emplace_back(mesh);
    for (const int bone : part.bones)
      if (bone >= 0) joints_.push_back(bone);
  }
  std::sort(joints_.begin(), joints_.end());
  joints_.erase(std::unique(joints_.begin(), joints_.end()), joints_.end());
  find_mirror();
}

/// Of the skin at rest; else as it was bound, where most characters stand upright.
void WeightsBody::find_mirror() {
  constexpr double kAlike = 0.02;  // of the size
  std::vector<Vec3> resting(joints_.size()), bound(joints_.size(), Vec3::Constant(1e30));
  const std::vector<JointPlace> places = joint_places(character());
  for (std::size_t j = 0; j < joints_.size(); ++j) resting[j] = places[static_cast<std::size_t>(joints_[j])].position;
  Vec at_bind = Vec::Zero(rest_.size());
  for (int k = 0; k < std::ssize(parts_); ++k) {
    const SkinPart& part = parts_[static_cast<std::size_t>(k)];
    for (int i = 0; i < std::ssize(part.points); ++i)
      point(at_bind, part.points[static_cast<std::size_t>(i)]) = Vec3(point(part.mesh.points, i));
    for (int i = 0; i < std::ssize(part.joints); ++i)
      if (const auto& bones = part.joints[static_cast<std::size_t>(i)].bones; !bones.empty())
        if (const int joint = of_part(i, k); joint >= 0) bound[static_cast<std::size_t>(joint)] = bones.front().from;
  }
  for (const bool binding : {false, true}) {
    const Vec& all = binding ? at_bind : rest_;
    std::vector<double> skinned;
    for (int i = 0; i < point_count(); ++i)
      if (places_[static_cast<std::size_t>(i)].first >= 0)
        for (const double x : point(all, i)) skinned.push_back(x);
    mirror_ = find_mirror_plane(Eigen::Map<const Vec>(skinned.data(), std::ssize(skinned)), kAlike);
    upright_ = all;
    if (mirror_) return find_twins(binding ? bound : resting);
  }
  find_twins(resting);
}

/// `places`: of joints(); those that are far away have no twin.
void WeightsBody::find_twins(const std::vector<Vec3>& places) {
  const double reach = 0.05 * bounding_box(upright_).diagonal();
  const auto name_of = [&](int j) {
    return character().bones[static_cast<std::size_t>(joints_[static_cast<std::size_t>(j)])].name;
  };
  for (int j = 0; j < std::ssize(joints_); ++j) {
    twins_.push_back(j);
    if (!mirror_) continue;
    const Vec3 image = mirror_->image(places[static_cast<std::size_t>(j)]);
    const auto off = [&](int k) { return (places[static_cast<std::size_t>(k)] - image).norm(); };
    double least = off(j);
    for (int k = 0; k < std::ssize(joints_); ++k) least = std::min(least, off(k));
    if (least > reach || off(j) <= least + 0.02 * reach) continue;  // in the middle a joint is its own twin
    std::size_t most = 0;
    for (int k = 0; k < std::ssize(joints_); ++k)  // several joints at one place: by name
      if (const auto same = alike(name_of(j), name_of(k));
          off(k) <= least + 0.02 * reach && (same > most || twins_.back() == j))
        most = same, twins_.back() = k;
  }
}

int WeightsBody::joint_named(const std::string& name) const {
  for (int j = 0; j < std::ssize(joints_); ++j)
    if (character().bones[static_cast<std::size_t>(joints_[static_cast<std::size_t>(j)])].name == name) return j;
  return -1;
}

int WeightsBody::in_part(int joint, int part) const {
  const std::vector<int>& bones = parts_[static_cast<std::size_t>(part)].bones;
  const auto found = std::find(bones.begin(), bones.end(), joints_[static_cast<std::size_t>(joint)]);
  return found == bones.end() ? -1 : static_cast<int>(found - bones.begin());
}

int WeightsBody::of_part(int joint, int part) const {
  const int bone = parts_[static_cast<std::size_t>(part)].bones[static_cast<std::size_t>(joint)];
  const auto found = std::lower_bound(joints_.begin(), joints_.end(), bone);
  return found == joints_.end() || *found != bone ? -1 : static_cast<int>(found - joints_.begin());
}

WeightsDraft::WeightsDraft(std::shared_ptr<const WeightsBody> body) : body_(std::move(body)) {
  for (const SkinPart& part : body_->parts()) weights_.push_back(part.influences);
}

std::vector<Influence>& WeightsDraft::list_of(int point) {
  const auto [part, place] = body_->place_of(point);
  return weights_[static_cast<std::size_t>(part)][static_cast<std::size_t>(place)];
}

void WeightsDraft::swap(Step& step) {
  for (auto& [point, list] : step.lists) std::swap(list, list_of(point));
  std::swap(step.origin, origin_);
  ++version_;
}

void WeightsDraft::record(Step step) {
  redo_.clear();
  undo_.push_back(std::move(step));
  if (undo_.size() > kWeightsUndo) undo_.erase(undo_.begin());
}

void WeightsDraft::replace(std::vector<PartWeights> weights, WeightsOrigin origin) {
  Step step{.lists = {}, .origin = std::move(origin)};
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::size_t i = 0; i < weights[k].size(); ++i)
      step.lists.emplace(body_->parts()[k].points[i], std::move(weights[k][i]));
  swap(step);
  record(std::move(step));
}

void WeightsDraft::touch_at(const Dab& dab, int point, int joint, std::vector<int>& changed) {
  const auto [part, place] = body_->place_of(point);
  if (part < 0) return;
  Dab own = dab;
  own.point = place, own.joint = body_->in_part(joint, part);
  if (own.joint < 0 && dab.mode != BrushMode::smooth) return;
  PartWeights& lists = weights_[static_cast<std::size_t>(part)];
  Step& step = undo_.back();
  for (auto& [i, before] : body_->brush(part).apply(own, lists)) {
    const int of_rig = body_->parts()[static_cast<std::size_t>(part)].points[static_cast<std::size_t>(i)];
    changed.push_back(of_rig);
    step.lists.emplace(of_rig, std::move(before));  // what the whole stroke found there
  }
}

std::vector<int> WeightsDraft::paint(const Dab& dab, const std::vector<int>& points, bool mirrored, long stroke) {
  if (undo_.empty() || undo_.back().stroke != stroke || !redo_.empty())
    record({.lists = {}, .origin = origin_, .stroke = stroke});
  std::vector<int> changed;
  const int twin_joint = body_->twin_of(dab.joint);
  for (const int point_of_rig : points) {
    touch_at(dab, point_of_rig, dab.joint, changed);
    if (!mirrored || !body_->mirror()) continue;
    const int twin = nearest_to_image(body_->upright(), *body_->mirror(), point(body_->upright(), point_of_rig));
    if (twin < 0 || (twin == point_of_rig && twin_joint == dab.joint)) continue;
    touch_at(dab, twin, twin_joint, changed);
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  if (undo_.back().lists.empty())
    undo_.pop_back();
  else if (!changed.empty())
    origin_.painted = true, ++version_;
  return changed;
}

void WeightsDraft::undo() {
  if (undo_.empty()) refuse("the weights", "", "have nothing to go back to", "compute or paint first");
  swap(undo_.back());
  redo_.push_back(std::move(undo_.back()));
  undo_.pop_back();
}

void WeightsDraft::redo() {
  if (redo_.empty()) refuse("the weights", "", "have nothing to do again", "undo something first");
  swap(redo_.back());
  undo_.push_back(std::move(redo_.back()));
  undo_.back().stroke = -1;
  redo_.pop_back();
}

std::vector<Influence> WeightsDraft::at(int point) const {
  const auto [part, place] = body_->place_of(point);
  std::vector<Influence> list;
  if (part < 0) return list;
  for (const Influence& each : weights_[static_cast<std::size_t>(part)][static_cast<std::size_t>(place)])
    if (const int joint = body_->of_part(each.joint, part); joint >= 0) list.push_back({joint, each.weight});
  return list;
}

std::vector<std::vector<Influence>> WeightsDraft::of_bones() const {
  std::vector<std::vector<Influence>> all(static_cast<std::size_t>(body_->point_count()));
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    const SkinPart& part = body_->parts()[k];
    for (std::size_t i = 0; i < part.points.size(); ++i)
      for (const Influence& each : weights_[k][i])
        all[static_cast<std::size_t>(part.points[i])].push_back(
            {part.bones[static_cast<std::size_t>(each.joint)], each.weight});
  }
  return all;
}

Character WeightsDraft::character() const {
  Character changed = body_->character();
  for (std::size_t k = 0; k < weights_.size(); ++k)
    changed = with_skin_weights(changed, body_->parts()[k], weights_[k]);
  return changed;
}

std::vector<std::byte> WeightsDraft::bytes() const { return weights_bytes(*body_, weights_, version_); }

std::vector<std::byte> weights_bytes(const WeightsBody& body, const std::vector<PartWeights>& weights, int version) {
  std::vector<std::uint32_t> start{0}, joint;
  std::vector<float> weight;
  for (int i = 0; i < body.point_count(); ++i) {
    if (const auto [part, place] = body.place_of(i); part >= 0)
      for (const Influence& each : weights[static_cast<std::size_t>(part)][static_cast<std::size_t>(place)])
        if (const int j = body.of_part(each.joint, part); j >= 0 && each.weight > 0)
          joint.push_back(static_cast<std::uint32_t>(j)), weight.push_back(static_cast<float>(each.weight));
    start.push_back(static_cast<std::uint32_t>(joint.size()));
  }
  const std::uint32_t head[3] = {static_cast<std::uint32_t>(version), static_cast<std::uint32_t>(body.point_count()),
                                 static_cast<std::uint32_t>(joint.size())};
  std::vector<std::byte> bytes(sizeof head + 4 * (start.size() + 2 * joint.size()));
  std::byte* to = bytes.data();
  const auto put = [&to](const void* from, std::size_t count) {
    if (count > 0) std::memcpy(to, from, count);
    to += count;
  };
  put(head, sizeof head);
  put(start.data(), 4 * start.size()), put(joint.data(), 4 * joint.size()), put(weight.data(), 4 * weight.size());
  return bytes;
}

}  // namespace rigspace::studio
