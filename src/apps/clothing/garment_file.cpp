#include "rigspace/apps/clothing/garment_file.h"

#include "played_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/point_motion.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>

namespace rigspace {
namespace {

void put_word(std::vector<std::byte>& bytes, std::uint32_t word, bool big) {
  for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<std::byte>(word >> (big ? 24 - 8 * k : 8 * k)));
}
void put_float(std::vector<std::byte>& bytes, double value, bool big) {
  put_word(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)), big);
}

}  // namespace

TriMesh read_obj_mesh(const std::filesystem::path& path) {
  std::istringstream text(read_text(path));
  std::vector<double> values;
  TriMesh mesh;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream row(line);
    std::string word;
    row >> word;
    const auto refuse = [&](const std::string& problem) {
      throw Error({.file = path.string() + ':' + std::to_string(number),
                   .element = word == "v" ? "vertex" : "face",
                   .value = line.substr(0, 40),
                   .problem = problem,
                   .remedy = "export it again"});
    };
    if (word == "v") {
      double x, y, z;
      if (!(row >> x >> y >> z)) refuse("has no three numbers");
      values.insert(values.end(), {x, y, z});
    } else if (word == "f") {
      std::vector<int> corners;
      for (std::string corner; row >> corner;) {
        const int index = std::atoi(corner.c_str()), count = static_cast<int>(values.size() / 3);
        const int i = index < 0 ? count + index : index - 1;
        if (index == 0 || i < 0 || i >= count) refuse("names vertex " + corner);
        corners.push_back(i);
      }
      if (corners.size() < 3) refuse("has fewer than three corners");
      for (std::size_t k = 2; k < corners.size(); ++k)
        mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
    }
  }
  mesh.points = Eigen::Map<const Vec>(values.data(), static_cast<Eigen::Index>(values.size()));
  if (mesh.triangles.empty())
    throw Error({.file = path.string(), .element = "mesh", .problem = "has no faces", .remedy = "give one with faces"});
  return mesh;
}

PieceGarment garment_of(const Character& character, const std::string& piece, const Animation* clip, double time) {
  std::vector<std::string> names;
  for (const Piece& each : character.pieces) {
    names.push_back(each.name);
    if (each.name != piece) continue;
    PlayedRig played(character, clip);
    const Vec& x = played.points(time);
    TriMesh mesh;
    mesh.points = x.segment(3 * each.first_point, 3 * each.point_count);
    for (auto t : each.triangles) {
      for (int& i : t) i -= each.first_point;
      mesh.triangles.push_back(t);
    }
    Weld welded = weld(mesh);
    return {std::move(welded.mesh), std::move(welded.point), std::move(mesh.triangles)};
  }
  throw Error({.code = ErrorCode::usage,
               .file = character.name,
               .element = "garment \"" + piece + "\"",
               .value = piece,
               .problem = "is no piece of this character",
               .remedy = suggestion(piece, names, "give an .obj file or one of its pieces")});
}

ClothBody body_of(const Character& character, const std::vector<std::string>& without, const BodyPlay& play) {
  auto played = std::make_shared<PlayedRig>(character, play.clip, play.start, play.lead);
  TriMesh surface;
  surface.points = play.unit * played->points(play.start - play.lead);
  for (const Piece& piece : character.pieces)
    if (piece.drawn && std::find(without.begin(), without.end(), piece.name) == without.end())
      for (const Triangle& t : piece.triangles)
        if (std::none_of(t.begin(), t.end(),
                         [&](int i) { return !play.absent.empty() && play.absent[static_cast<std::size_t>(i)] != 0; }))
          surface.triangles.push_back(t);
  if (surface.triangles.empty())
    throw Error({.file = character.name, .problem = "has no body for the garment", .remedy = "give one with a mesh"});
  Weld welded = weld(surface);
  // Points of no triangle would still be moved and tested.
  std::vector<int> source(static_cast<std::size_t>(welded.mesh.point_count()), -1);
  for (std::size_t i = 0; i < welded.point.size(); ++i) {
    int& first = source[static_cast<std::size_t>(welded.point[i])];
    if (first < 0) first = static_cast<int>(i);
  }
  ClothBody body{.mesh = std::move(welded.mesh)};
  if (play.clip != nullptr)
    body.points = [played, source, unit = play.unit](double time, Vec& points) {
      const Vec& x = played->points(time);
      points.resize(3 * static_cast<Eigen::Index>(source.size()));
      for (std::size_t i = 0; i < source.size(); ++i) point(points, static_cast<int>(i)) = unit * point(x, source[i]);
    };
  return body;
}

Character point_character(const std::filesystem::path& mesh, const std::filesystem::path& motion, double rate) {
  const TriMesh shape = read_obj_mesh(mesh);
  const PointMotion moved = read_point_motion(motion, rate);
  if (moved.X.rows() != shape.points.size())
    throw Error({.file = motion.string(),
                 .element = "points",
                 .value = std::to_string(moved.X.rows() / 3),
                 .problem = "moves " + std::to_string(moved.X.rows() / 3) + " points, and " + mesh.string() + " has " +
                            std::to_string(shape.point_count()),
                 .remedy = "export both from one mesh"});
  // A shape for each frame, whose weight rises to one there and falls again: lines between the frames.
  auto graph = std::make_shared<ControlGraph>();
  Animation clip{.name = "motion", .duration = moved.times.back()};
  std::vector<MorphTarget> targets;
  for (Eigen::Index k = 0; k < moved.X.cols(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const std::string name = "frame_" + std::to_string(k);
    MorphTarget target{.weight_slot = add_scalar(*graph, {.name = name, .node = "points"})};
    for (int i = 0; i < shape.point_count(); ++i) {
      target.points.push_back(i);
      target.offsets.push_back(moved.X.col(k).segment<3>(3 * i) - point(shape.points, i));
    }
    targets.push_back(std::move(target));
    Track track{.control = name};
    if (k > 0) track.curve.times.push_back(moved.times[at - 1]), track.curve.values.push_back(0);
    track.curve.times.push_back(moved.times[at]), track.curve.values.push_back(1);
    if (k + 1 < moved.X.cols()) track.curve.times.push_back(moved.times[at + 1]), track.curve.values.push_back(0);
    clip.tracks.push_back(std::move(track));
  }
  Character character{.name = mesh.stem().string()};
  std::vector<std::shared_ptr<const Deformer>> deformers{make_blend_shapes(0, shape.point_count(), targets)};
  character.rig = std::make_shared<BuiltInRig>(graph, shape.points, std::move(deformers));
  character.pieces.push_back({.name = "body", .point_count = shape.point_count(), .triangles = shape.triangles});
  character.clips.push_back(std::move(clip));
  return character;
}

std::vector<std::string> write_cloth_motion(const std::filesystem::path& path, const std::vector<Triangle>& triangles,
                                            const std::vector<Vec>& frames, double rate) {
  const std::string ending = path.extension().string();
  const auto count = static_cast<std::uint32_t>(frames.size());
  const auto points = static_cast<std::uint32_t>(frames.empty() ? 0 : frames[0].size() / 3);
  if (ending == ".obj") {
    std::vector<std::string> written;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      std::string text;
      for (int i = 0; i < frames[k].size() / 3; ++i) {
        const Vec3 p = point(frames[k], i);
        text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p.x(), p.y(), p.z());
      }
      for (const Triangle& t : triangles) text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
      const auto name = path.parent_path() / fmt::format("{}_{:04}.obj", path.stem().string(), k);
      write_file(name, text);
      written.push_back(name.string());
    }
    return written;
  }
  std::vector<std::byte> bytes;
  const bool mdd = ending == ".mdd";
  if (mdd) {
    put_word(bytes, count, true), put_word(bytes, points, true);
    for (std::size_t k = 0; k < frames.size(); ++k) put_float(bytes, static_cast<double>(k) / rate, true);
  } else if (ending == ".pc2") {
    for (const char c : {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'})
      bytes.push_back(static_cast<std::byte>(c));
    put_word(bytes, 1, false), put_word(bytes, points, false);
    put_float(bytes, 0, false), put_float(bytes, 1, false), put_word(bytes, count, false);
  } else {
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .value = ending,
                 .problem = "has an ending that cloth is not written to",
                 .remedy = "use .mdd, .pc2 or .obj"});
  }
  for (const Vec& frame : frames)
    for (const double c : frame) put_float(bytes, c, mdd);
  write_file(path, bytes);
  return {path.string()};
}

}  // namespace rigspace
