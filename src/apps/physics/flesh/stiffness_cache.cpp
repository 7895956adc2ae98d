#include "stiffness_cache.h"

#include "rigspace/base/bytes.h"
#include "rigspace/base/cache.h"

namespace rigspace {
namespace {

constexpr std::string_view kKind = "stiffness";

std::vector<std::byte> content_of(const ControlledBody& body, std::span<const double> scales) {
  ByteWriter out;
  const auto numbers = [&](std::span<const double> list) {
    out.values(Eigen::Map<const Vec>(list.data(), static_cast<Eigen::Index>(list.size())));
  };
  out.values(body.mesh.points);
  for (const Tet& tet : body.mesh.tets) out.integers(tet);
  out.number(static_cast<double>(body.material.kind));
  out.number(body.material.young), out.number(body.material.poisson);
  const RigSpaceDescription& map = body.map;
  for (const std::vector<int>* list : {&map.free, &map.interior, &map.bound, &map.ties.start, &map.ties.point})
    out.integers(*list);
  numbers(map.ties.weight);
  BlockJacobian J;
  map.rig->jacobian(*map.rig->make_workspace(), map.rig->rest(), map.free, J);
  out.integers(J.start), out.integers(J.column);
  out.values(J.value.reshaped());
  numbers(scales);
  return out.bytes();
}

std::vector<std::byte> to_bytes(const ControlStiffness& stiffness) {
  ByteWriter out;
  out.values(Eigen::Map<const Vec>(stiffness.factors.data(), static_cast<Eigen::Index>(stiffness.factors.size())));
  out.number(stiffness.rounds), out.number(stiffness.settled ? 1 : 0);
  out.number(static_cast<double>(stiffness.controls.size()));
  for (const ScaledControl& each : stiffness.controls) {
    out.number(each.control), out.number(each.asked), out.number(each.achieved);
    out.number(each.resists ? 1 : 0), out.number(each.feasible ? 1 : 0);
  }
  return out.bytes();
}

ControlStiffness from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  ControlStiffness stiffness{.from_cache = true};
  const Vec factors = in.values();
  stiffness.factors.assign(factors.begin(), factors.end());
  stiffness.rounds = in.integer(), stiffness.settled = in.number() != 0;
  stiffness.controls.resize(static_cast<std::size_t>(in.integer()));
  for (ScaledControl& each : stiffness.controls) {
    each.control = in.integer(), each.asked = in.number(), each.achieved = in.number();
    each.resists = in.number() != 0, each.feasible = in.number() != 0;
  }
  return stiffness;
}

}  // namespace

ControlStiffness cached_stiffness(const ControlledBody& body, std::span<const double> scales,
                                  const ProgressCallback& progress) {
  const std::vector<std::byte> content = content_of(body, scales);
  if (const auto known = from_cache(kKind, content)) return from_bytes(*known);
  ControlStiffness stiffness = control_stiffness(body, scales, {.progress = progress});
  to_cache(kKind, content, to_bytes(stiffness));
  return stiffness;
}

}  // namespace rigspace
