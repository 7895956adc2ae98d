#include "drawn_points.h"

#include "rigspace/anim/rest_shell.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cstring>

namespace rigspace::studio {

BonePlaces::BonePlaces(const Character& character)
    : character_(character), rig_(dynamic_cast<const BuiltInRig*>(character.rig.get())) {
  if (rig_ == nullptr) return;
  workspace_ = rig_->make_workspace();
  for (const Bone& bone : character.bones) names_.push_back(bone.name);
}

void BonePlaces::worlds(In p, std::vector<Affine>& worlds) {
  worlds.assign(names_.size(), Affine::Identity());
  if (rig_ == nullptr) return;
  rig_->evaluate_slots(*workspace_, p, u_);
  for (std::size_t b = 0; b < worlds.size(); ++b)
    if (const int slot = character_.bones[b].slot; slot >= 0)
      worlds[b] = transform_at(u_, rig_->graph().slots()[static_cast<std::size_t>(slot)]);
}

DrawnPoints::DrawnPoints(const Character& character, std::vector<int> free)
    : character_(character),
      bones_(character),
      free_(std::move(free)),
      drawn_(drawn_points(character)),
      workspace_(character.rig->make_workspace()) {
  std::vector<char> moved(drawn_.size(), 0);
  std::vector<int> needed;
  if (!free_.empty()) {
    BlockJacobian J;
    character.rig->jacobian(*workspace_, character.rig->rest(), free_, J);
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      const auto point = static_cast<std::size_t>(drawn_[i]);
      if (J.start[point + 1] > J.start[point]) moved[i] = 1, needed.push_back(drawn_[i]);
    }
  }
  moved_runs_ = runs_of(moved);
  moved_places_.reserve(needed.size());
  std::vector<int> ascending = needed;
  std::sort(ascending.begin(), ascending.end());
  ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
  for (const int point : needed)
    moved_places_.push_back(
        static_cast<int>(std::lower_bound(ascending.begin(), ascending.end(), point) - ascending.begin()));
  moved_rig_ = character.rig->restricted(ascending);
  moved_workspace_ = moved_rig_->make_workspace();
}

std::vector<DrawnPoints::Run> DrawnPoints::runs_of(const std::vector<char>& moved) const {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (!moved[i]) continue;
    if (runs.empty() || runs.back().first + runs.back().count != i) runs.push_back({static_cast<std::uint32_t>(i), 0});
    ++runs.back().count;
  }
  return runs;
}

bool DrawnPoints::differs_beyond_free(In p_key, In p) const {
  std::size_t next = 0;
  for (Eigen::Index c = 0; c < p.size(); ++c) {
    if (next < free_.size() && free_[next] == c)
      ++next;
    else if (p[c] != p_key[c])
      return true;
  }
  return false;
}

void DrawnPoints::append(In p, std::vector<float>& numbers) {
  character_.rig->evaluate(*workspace_, p, s_);
  for (const int i : drawn_)
    for (const double x : point(s_, i)) numbers.push_back(static_cast<float>(x));
}

void DrawnPoints::append_bones(In p, std::vector<float>& numbers) {
  std::vector<Affine> worlds;
  bones_.worlds(p, worlds);
  for (std::size_t b = 0; b < worlds.size(); ++b) {
    const int parent = character_.bones[b].parent;
    Affine local = worlds[b];
    if (parent >= 0) local = compose(inverse(worlds[static_cast<std::size_t>(parent)]), worlds[b]);
    const Mat3 turn = nearest_rotation(linear(local));
    const Quat q(turn);
    const Vec3 scale = (turn.transpose() * linear(local)).diagonal();
    for (const double each : local.col(3)) numbers.push_back(static_cast<float>(each));
    for (const double each : {q.x(), q.y(), q.z(), q.w()}) numbers.push_back(static_cast<float>(each));
    for (const double each : scale) numbers.push_back(static_cast<float>(each));
  }
}

void DrawnPoints::append_block(In p_key, In p, const Vec* shape, std::vector<std::byte>& bytes) {
  if (p_key_.size() != p_key.size() || p_key_ != p_key) {
    p_key_ = p_key;
    character_.rig->evaluate(*workspace_, p_key_, s_key_);
  }
  std::vector<Run> runs;
  std::vector<float> soft;
  const auto add = [&soft](const Vec& s, int i) {
    for (const double x : point(s, i)) soft.push_back(static_cast<float>(x));
  };
  if (shape != nullptr || differs_beyond_free(p_key, p)) {  // corrections of other controls: any point may differ
    if (shape != nullptr)
      s_ = *shape;
    else
      character_.rig->evaluate(*workspace_, p, s_);
    std::vector<char> moved(drawn_.size(), 0);
    for (std::size_t k = 0; k < drawn_.size(); ++k) moved[k] = point(s_, drawn_[k]) != point(s_key_, drawn_[k]);
    runs = runs_of(moved);
    for (std::size_t k = 0; k < drawn_.size(); ++k)
      if (moved[k]) add(s_, drawn_[k]);
  } else if (p != p_key) {
    moved_rig_->evaluate(*moved_workspace_, p, s_);
    runs = moved_runs_;
    for (const int place : moved_places_) add(s_, place);
  }
  const std::size_t from = bytes.size(), key_bytes = 12 * drawn_.size();
  bytes.resize(from + 8 + key_bytes + 8 * runs.size() + 4 * soft.size());
  std::byte* at = bytes.data() + from;
  const auto put = [&at](const void* what, std::size_t count) {
    if (count > 0) std::memcpy(at, what, count);
    at += count;
  };
  const auto points = static_cast<std::uint32_t>(drawn_.size()), count = static_cast<std::uint32_t>(runs.size());
  put(&points, 4), put(&count, 4);
  for (const int i : drawn_)
    for (const double x : point(s_key_, i)) {
      const auto number = static_cast<float>(x);
      put(&number, 4);
    }
  put(runs.data(), 8 * runs.size());
  put(soft.data(), 4 * soft.size());
}

}  // namespace rigspace::studio
