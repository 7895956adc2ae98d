// Bodies that were made before.

#include "rigspace/base/bytes.h"
#include "rigspace/base/cache.h"
#include "rigspace/geometry/stuffing.h"

namespace rigspace {
namespace {

std::vector<std::byte> content_of(const TriMesh& surface, const StuffingOptions& options) {
  ByteWriter out;
  out.values(surface.points);
  for (const auto& [a, b, c] : surface.triangles) out.number(a), out.number(b), out.number(c);
  for (const double each : {options.cell, static_cast<double>(options.vertices), options.dilation}) out.number(each);
  return out.bytes();
}

template <class Tuples>
std::vector<int> flat(const Tuples& tuples) {
  std::vector<int> list;
  for (const auto& tuple : tuples) list.insert(list.end(), tuple.begin(), tuple.end());
  return list;
}

std::vector<std::byte> to_bytes(const Body& body) {
  ByteWriter out;
  out.values(body.mesh.points);
  out.integers(flat(body.mesh.tets));
  out.number(body.cell);
  out.number(static_cast<double>(body.parts.size()));
  for (const SkinPart& part : body.parts)
    for (const double each : {static_cast<double>(part.triangles), part.closed ? 1.0 : 0.0, part.solid ? 1.0 : 0.0,
                              part.area, static_cast<double>(part.points), static_cast<double>(part.thin_points)})
      out.number(each);
  out.integers(body.part_of_triangle);
  out.integers(body.part_of_point);
  std::vector<int> cover;
  for (const Cover each : body.cover) cover.push_back(static_cast<int>(each));
  out.integers(cover);
  for (const int each : {body.flipped_triangles, body.dropped, body.off_lattice, body.boundary_defects})
    out.number(each);
  return out.bytes();
}

Body from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  Body body;
  body.mesh.points = in.values();
  const std::vector<int> tets = in.integers();
  for (std::size_t k = 0; k + 3 < tets.size(); k += 4)
    body.mesh.tets.push_back({tets[k], tets[k + 1], tets[k + 2], tets[k + 3]});
  body.cell = in.number();
  body.parts.resize(static_cast<std::size_t>(in.number()));
  for (SkinPart& part : body.parts) {
    part.triangles = in.integer(), part.closed = in.number() != 0, part.solid = in.number() != 0;
    part.area = in.number(), part.points = in.integer(), part.thin_points = in.integer();
  }
  body.part_of_triangle = in.integers();
  body.part_of_point = in.integers();
  for (const int each : in.integers()) body.cover.push_back(static_cast<Cover>(each));
  for (int* each : {&body.flipped_triangles, &body.dropped, &body.off_lattice, &body.boundary_defects})
    *each = in.integer();
  return body;
}

}  // namespace

Body stuff_with_cache(const TriMesh& surface, const StuffingOptions& options) {
  const std::vector<std::byte> content = content_of(surface, options);
  if (const auto known = from_cache("body", content)) return from_bytes(*known);
  Body body = stuff(surface, options);
  to_cache("body", content, to_bytes(body));
  return body;
}

}  // namespace rigspace
