#include "rigspace/io/cage_file.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/rig/cage_plan.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_rig_file(const fs::path& file) { return file.string().ends_with(".rig.json"); }

/// With so many digits that count.
std::string number(double value, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

/// The joints that carry each piece, by the place where each was bound, as text: pieces that share one are in one
/// space.
std::vector<std::vector<std::string>> bind_spaces(const RigPlan& plan) {
  std::vector<std::vector<std::string>> spaces(plan.pieces.size());
  for (const plan::Deformer& deformer : plan.deformers) {
    const auto* skin = std::get_if<plan::Skin>(&deformer.kind);
    if (skin == nullptr) continue;
    for (std::size_t k = 0; k < plan.pieces.size(); ++k) {
      if (std::none_of(deformer.pieces.begin(), deformer.pieces.end(),
                       [&](const std::string& p) { return matches_pattern(plan.pieces[k].name, p); }))
        continue;
      for (std::size_t j = 0; j < skin->joints.size(); ++j) {
        std::string key = skin->joints[j];
        for (const double v : skin->inverse_bind[j].reshaped()) key += " " + number(v + 0.0, 4);
        spaces[k].push_back(std::move(key));
      }
    }
  }
  return spaces;
}

/// The pieces to enclose: those of the patterns, or the most points that were bound in one space.
std::vector<int> chosen_pieces(const RigPlan& plan, const CageRequest& request) {
  std::vector<int> chosen;
  if (!request.pieces.empty()) {
    for (int k = 0; k < static_cast<int>(plan.pieces.size()); ++k)
      if (std::any_of(request.pieces.begin(), request.pieces.end(),
                      [&](const std::string& p) { return matches_pattern(plan.pieces[k].name, p); }))
        chosen.push_back(k);
    if (chosen.empty())
      throw Error({.code = ErrorCode::usage,
                   .element = "--pieces " + request.pieces.front(),
                   .problem = "meets no piece",
                   .remedy = "`rigspace info --json` lists them"});
    return chosen;
  }
  const auto spaces = bind_spaces(plan);
  std::vector<int> group(plan.pieces.size());
  std::map<std::string, int> first;
  std::map<int, int> points;
  for (int k = 0; k < static_cast<int>(group.size()); ++k) {
    group[k] = k;
    for (const std::string& key : spaces[k]) {
      const auto [known, is_new] = first.emplace(key, group[k]);
      if (is_new || known->second == group[k]) continue;
      const int from = group[k], to = known->second;
      std::replace(group.begin(), group.begin() + k + 1, from, to);
      for (auto& each : first) each.second = each.second == from ? to : each.second;
    }
  }
  for (std::size_t k = 0; k < group.size(); ++k) points[group[k]] += plan.pieces[k].count;
  const int largest = std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
                        return a.second < b.second;
                      })->first;
  for (int k = 0; k < static_cast<int>(group.size()); ++k)
    if (group[k] == largest) chosen.push_back(k);
  return chosen;
}

/// In bind space.
TriMesh surface_of(const RigPlan& plan, const std::vector<int>& pieces) {
  std::vector<int> number(static_cast<std::size_t>(plan.points_rest.size() / 3), -1);
  TriMesh surface;
  std::vector<double> points;
  for (const int k : pieces)
    for (int i = plan.pieces[k].first; i < plan.pieces[k].first + plan.pieces[k].count; ++i) {
      number[i] = static_cast<int>(points.size() / 3);
      const Vec3 x = point(plan.points_rest, i);
      points.insert(points.end(), {x.x(), x.y(), x.z()});
    }
  surface.points = Eigen::Map<const Vec>(points.data(), static_cast<Eigen::Index>(points.size()));
  for (const Triangle& t : plan.triangles)
    if (number[t[0]] >= 0) surface.triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  return surface;
}

/// A rig file on the mesh: one point, one face a line.
std::string text_of(const fs::path& mesh, const CageRequest& request, const TriMesh& cage,
                    const std::vector<std::string>& pieces) {
  const auto quoted = [](const std::string& s) { return Json(s).dump(); };
  const std::string typical = number(0.05 * bounding_box(cage.points).size().maxCoeff(), 6);
  std::string text = "{\n \"rigspace_rig\": 1,\n \"mesh\": " + quoted(mesh.filename().string()) + ",\n \"points\": [\n";
  std::string names, faces;
  for (int j = 0; j < cage.point_count(); ++j) {
    const std::string end = j + 1 < cage.point_count() ? "," : "", own = quoted(request.name + "_" + std::to_string(j));
    const Vec3 x = point(cage.points, j);
    text += "  {\"name\": " + own + ", \"at\": [" + number(x.x(), 9) + ", " + number(x.y(), 9) + ", " +
            number(x.z(), 9) + "], \"typical\": " + typical + "}" + end + "\n";
    names += (j % 8 == 0 ? "\n    " : " ") + own + end;
  }
  for (int f = 0; f < cage.triangle_count(); ++f) {
    const Triangle& t = cage.triangles[f];
    faces += (f % 8 == 0 ? "\n    [" : " [") + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " +
             std::to_string(t[2]) + "]" + (f + 1 < cage.triangle_count() ? "," : "");
  }
  text +=
      " ],\n \"deformers\": [\n  {\"type\": \"shapes\"},\n  {\"type\": \"cage\", \"name\": " + quoted(request.name) +
      ",";
  if (!pieces.empty()) text += " \"pieces\": " + Json(pieces).dump() + ",";
  text += " \"coordinates\": " + quoted(std::string(rigspace::name(request.coordinates))) + ",\n   \"points\": [" +
          names + "],\n   \"faces\": [" + faces + "]}\n ],\n";
  return text + " \"rules\": [{\"match\": " + quoted(request.name + "_*") + ", \"group\": " + quoted(request.name) +
         "}]\n}\n";
}

/// Of the pieces that the cage moves; none: all.
std::vector<std::string> names_of(const CagedCharacter& caged) {
  std::vector<std::string> names;
  if (caged.left_out.empty()) return names;
  for (const int k : caged.pieces) names.push_back(caged.rigged.plan.pieces[k].name);
  return names;
}

}  // namespace

RiggedCharacter read_for_cage(const fs::path& file) {
  if (is_rig_file(file)) return read_rig_file(file);
  const std::string name = file.string();
  if (name.ends_with(".json") || name.ends_with(".bvh"))
    throw Error({.code = ErrorCode::usage,
                 .file = name,
                 .problem = "is no mesh",
                 .remedy = "a cage is made for a .glb, .gltf, .vrm or .rig.json"});
  if (!fs::exists(file)) throw Error({.file = name, .problem = "does not exist", .remedy = "check the path"});
  const std::string text = Json{{"rigspace_rig", 1}, {"mesh", file.filename().string()}}.dump();
  return parse_rig_file(text, name, file.parent_path());
}

TriMesh surface_for_cage(const RigPlan& plan, const CageRequest& request, std::vector<int>* pieces) {
  const std::vector<int> chosen = chosen_pieces(plan, request);
  if (pieces != nullptr) *pieces = chosen;
  return surface_of(plan, chosen);
}

CagedCharacter planned_cage(RiggedCharacter rigged, AutomaticCage cage, const CageRequest& request) {
  CagedCharacter caged{.rigged = std::move(rigged), .cage = std::move(cage), .pieces = {}, .left_out = {}};
  RigPlan& plan = caged.rigged.plan;
  caged.pieces = chosen_pieces(plan, request);
  for (int k = 0; k < static_cast<int>(plan.pieces.size()); ++k)
    if (std::find(caged.pieces.begin(), caged.pieces.end(), k) == caged.pieces.end())
      caged.left_out.push_back(plan.pieces[k].name);
  plan::add_cage(plan, request.name, caged.cage.mesh, {.family = request.coordinates, .drop_below = 1e-5},
                 names_of(caged));
  // Shapes come first: what they do to a face is carried along by the cage.
  const auto own = plan.deformers.begin();
  const auto after = std::find_if(plan.deformers.rbegin(), plan.deformers.rend(), [](const auto& each) {
                       return std::holds_alternative<plan::Shapes>(each.kind);
                     }).base();
  if (after > own + 1) std::rotate(own, own + 1, after);
  return caged;
}

CagedCharacter in_cage(RiggedCharacter rigged, AutomaticCage cage, const CageRequest& request) {
  CagedCharacter caged = planned_cage(std::move(rigged), std::move(cage), request);
  caged.rigged.character.rig = build(caged.rigged.plan).rig;  // refused before anything is written
  return caged;
}

CagedCharacter in_automatic_cage(RiggedCharacter rigged, const CageRequest& request) {
  AutomaticCage cage = automatic_cage(surface_for_cage(rigged.plan, request), request.cage);
  return in_cage(std::move(rigged), std::move(cage), request);
}

void write_cage_file(const fs::path& output, const fs::path& file, const CagedCharacter& caged,
                     const CageRequest& request) {
  const bool beside = fs::absolute(output).parent_path() == fs::absolute(file).parent_path();
  if (beside && !is_rig_file(file))
    write_file(output, text_of(file, request, caged.cage.mesh, names_of(caged)));
  else
    write_rig_file(output, caged.rigged);
}

}  // namespace rigspace
