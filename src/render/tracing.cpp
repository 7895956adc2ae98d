#include "tracing.h"

#include "rigspace/base/error.h"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

namespace rigspace {
namespace {

struct ReleaseDevice {
  void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
};
using Device = std::unique_ptr<std::remove_pointer_t<RTCDevice>, ReleaseDevice>;

[[noreturn]] void fail(int error) {
  throw Error({.code = ErrorCode::internal,
               .element = "ray casting",
               .value = std::to_string(error),
               .problem = "failed in Embree (error " + std::to_string(error) + ")",
               .remedy = "free memory, or report this"});
}

// One for the process: it holds no scene data.
RTCDevice device() {
  static const Device shared(rtcNewDevice(nullptr));
  if (!shared) fail(rtcGetDeviceError(nullptr));
  return shared.get();
}

RTCIntersectContext make_context(bool coherent) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
  return context;
}

}  // namespace

void Packet::set(int lane, const Vec3f& origin, const Vec3f& direction, float length) {
  RTCRay8& ray = embree.ray;
  valid[lane] = -1;
  ray.org_x[lane] = origin.x(), ray.org_y[lane] = origin.y(), ray.org_z[lane] = origin.z();
  ray.dir_x[lane] = direction.x(), ray.dir_y[lane] = direction.y(), ray.dir_z[lane] = direction.z();
  ray.tnear[lane] = 0, ray.tfar[lane] = length;
  ray.time[lane] = 0, ray.mask[lane] = ~0u, ray.id[lane] = 0, ray.flags[lane] = 0;
  embree.hit.geomID[lane] = embree.hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
}

bool Packet::any() const {
  return std::any_of(std::begin(valid), std::end(valid), [](int v) { return v != 0; });
}

RayScene::RayScene(const std::vector<std::array<std::uint32_t, 3>>& triangles, const std::vector<Vec3f>& points) {
  scene_ = rtcNewScene(device());
  RTCGeometry geometry = rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_TRIANGLE);
  void* vertices =
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec3f), points.size());
  void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof triangles[0],
                                          triangles.size());
  if (vertices && indices) {
    std::memcpy(vertices, points.data(), points.size() * sizeof(Vec3f));
    std::memcpy(indices, triangles.data(), triangles.size() * sizeof triangles[0]);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_, geometry);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);  // no cracks between neighbours
    // On one thread: a tree built by several may order triangles differently from run to run, and with it which of
    // two that meet a ray at the same distance is reported.
    oneapi::tbb::task_arena(1).execute([&] { rtcCommitScene(scene_); });
  }
  rtcReleaseGeometry(geometry);
  if (const RTCError error = rtcGetDeviceError(device()); error != RTC_ERROR_NONE) {
    rtcReleaseScene(scene_);
    fail(error);
  }
}

RayScene::~RayScene() { rtcReleaseScene(scene_); }

void RayScene::intersect(Packet& rays, bool coherent) const {
  if (!rays.any()) return;
  RTCIntersectContext context = make_context(coherent);
  rtcIntersect8(rays.valid, scene_, &context, &rays.embree);
}

unsigned RayScene::occluded(Packet& rays, bool coherent) const {
  if (!rays.any()) return 0;
  RTCIntersectContext context = make_context(coherent);
  rtcOccluded8(rays.valid, scene_, &context, &rays.embree.ray);
  unsigned bits = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    if (rays.valid[lane] && rays.embree.ray.tfar[lane] < 0) bits |= 1u << lane;
  return bits;
}

}  // namespace rigspace
