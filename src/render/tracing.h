#pragma once
// Private to render: triangles that rays can be cast at, eight at a time.

#include "surface.h"

#include <embree3/rtcore.h>

#include <vector>

namespace rigspace {

inline constexpr int kLanes = 8;

/// Eight rays; lanes with valid = 0 are left out.
struct alignas(32) Packet {
  int valid[kLanes] = {};
  RTCRayHit8 embree;

  void set(int lane, const Vec3f& origin, const Vec3f& direction, float length);
  bool any() const;
  bool hit(int lane) const { return valid[lane] && embree.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID; }
};

class RayScene {
 public:
  /// Copies the positions.
  RayScene(const std::vector<std::array<std::uint32_t, 3>>& triangles, const std::vector<Vec3f>& points);
  ~RayScene();
  RayScene(const RayScene&) = delete;
  RayScene& operator=(const RayScene&) = delete;

  /// Nearest hits. `coherent`: all from one place, in like directions.
  void intersect(Packet& rays, bool coherent) const;
  /// Which rays meet anything: bit k for lane k.
  unsigned occluded(Packet& rays, bool coherent) const;

 private:
  RTCScene scene_ = nullptr;
};

}  // namespace rigspace
