#include "rigspace/apps/sketch/pose_by_sketch.h"

#include "rigspace/anim/bake.h"
#include "rigspace/apps/sketch/automatic.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace {
namespace {

struct NamedView {
  const char* name;
  double azimuth, elevation;  // degrees
};
constexpr NamedView kViews[] = {{"front", 0, 0}, {"back", 180, 0}, {"left", 90, 0},          {"right", -90, 0},
                                {"side", 90, 0}, {"top", 0, 90},   {"three-quarter", 32, 11}};
constexpr double kMargin = 0.2;  // room for limbs that the drawing stretches out

Camera flattened(Camera camera, In points) {
  const ViewPlane view(camera);
  camera.height = 2 / view.scale(bounding_box(points).center());
  return camera;
}

Camera camera_from_json(const std::string& spec, In points, double aspect) {
  const JsonText json(spec, "--camera");
  const Field root = json.root();
  root.allow({"azimuth", "elevation", "fov", "eye", "target", "height", "orthographic"});
  const double fov = (root.has("fov") ? root["fov"].number(1, 120) : 28) * kDegree;
  const bool flat = root.has("orthographic") && root["orthographic"].boolean();
  Camera camera;
  if (root.has("eye")) {
    camera = {.eye = root["eye"].vec3(), .target = root["target"].vec3(), .fov = fov};
    if ((camera.eye - camera.target).norm() < 1e-12) root["eye"].fail("is the target", "look from somewhere else");
    if (root.has("height")) camera.height = root["height"].number(1e-9, 1e12);
  } else {
    FramingOptions framing{.azimuth = 0, .elevation = 0, .fov = fov, .margin = kMargin};
    if (root.has("azimuth")) framing.azimuth = root["azimuth"].number() * kDegree;
    if (root.has("elevation")) framing.elevation = root["elevation"].number(-90, 90) * kDegree;
    camera = frame(points, aspect, framing);
  }
  return flat && camera.height <= 0 ? flattened(camera, points) : camera;
}

/// Names in an SVG are ids: those that are names of curves mean them.
void name_curves(std::vector<Stroke>& strokes, const SketchAbstraction& abstraction) {
  for (Stroke& stroke : strokes)
    if (stroke.curve.empty())
      for (const SketchCurve& curve : abstraction.curves)
        if (curve.name == stroke.name && !abstraction.pooled) stroke.curve = curve.name;
}

/// Strokes that are solved together, as the poser takes them: of pairs, the one that says where the line goes.
struct Moment {
  double time = 0;
  std::string camera, abstraction;
  std::vector<Stroke> strokes, drawn_over;
};

void add_stroke(Moment& moment, const StrokeFile& drawing, std::size_t k) {
  Stroke stroke = drawing.strokes[k];
  if (stroke.name.empty()) stroke.name = "stroke " + std::to_string(k + 1);
  if (stroke.to < 0) {
    moment.strokes.push_back(std::move(stroke));
    return;
  }
  Stroke to = drawing.strokes[static_cast<std::size_t>(stroke.to)];
  if (to.name.empty()) to.name = "stroke " + std::to_string(stroke.to + 1);
  to.curve = stroke.name;
  to.directed = true;
  moment.drawn_over.push_back(std::move(stroke)), moment.strokes.push_back(std::move(to));
}

std::vector<Moment> moments_of(const StrokeFile& drawing) {
  std::set<double> times;
  for (const Stroke& stroke : drawing.strokes) times.insert(stroke.time);
  std::set<int> targets;
  for (const Stroke& stroke : drawing.strokes)
    if (stroke.to >= 0) targets.insert(stroke.to);
  std::vector<Moment> moments;
  for (const double time : times) {
    const std::size_t first = moments.size();
    for (std::size_t k = 0; k < drawing.strokes.size(); ++k) {
      const Stroke& stroke = drawing.strokes[k];
      if (stroke.time != time || targets.contains(static_cast<int>(k))) continue;
      if (moments.size() == first || moments.back().camera != stroke.camera ||
          moments.back().abstraction != stroke.abstraction)
        moments.push_back({.time = time, .camera = stroke.camera, .abstraction = stroke.abstraction});
      add_stroke(moments.back(), drawing, k);
    }
  }
  for (const Moment& moment : moments)
    if (!moment.drawn_over.empty() && moment.drawn_over.size() < moment.strokes.size())
      throw Error({.element = "drawing",
                   .problem = "has strokes that are drawn over the character and strokes that are not",
                   .remedy = "give either a \"to\" for all of one time, or for none"});
  return moments;
}

SketchAbstraction drawn_abstraction(const Character& character, In p, const Camera& camera, const Moment& moment,
                                    double aspect) {
  const SeenSurface surface(character, p, camera);
  SketchAbstraction abstraction{.name = kDrawnAbstraction};
  for (std::size_t k = 0; k < moment.drawn_over.size(); ++k) {
    check_stroke(moment.drawn_over[k], k, aspect);
    abstraction.curves.push_back(project_stroke(surface, clean_stroke(moment.drawn_over[k])));
  }
  return abstraction;
}

Animation clip_of(const Character& character, const std::vector<SketchedPose>& poses, const std::string& name) {
  const Vec rest = character.rig->rest();
  std::vector<const SketchedPose*> last;  // of each time
  for (const SketchedPose& pose : poses) {
    if (!last.empty() && last.back()->time == pose.time) last.pop_back();
    last.push_back(&pose);
  }
  Mat P(rest.size(), static_cast<Eigen::Index>(last.size()));
  std::vector<double> times;
  for (std::size_t k = 0; k < last.size(); ++k)
    P.col(static_cast<Eigen::Index>(k)) = last[k]->p, times.push_back(last.size() == 1 ? 0 : last[k]->time);
  std::vector<int> turned;
  for (int c = 0; c < static_cast<int>(rest.size()); ++c)
    if ((P.row(c).array() != rest[c]).any()) turned.push_back(c);
  Animation clip = keys_from_poses(character.rig->controls(), turned, times, P);
  clip.name = name;
  return clip;
}

}  // namespace

Camera sketch_camera(const std::string& spec, In points, double aspect) {
  if (spec.starts_with('{')) return camera_from_json(spec, points, aspect);
  std::vector<std::string> names;
  for (const NamedView& view : kViews) {
    if (spec == view.name)
      return frame(points, aspect,
                   {.azimuth = view.azimuth * kDegree, .elevation = view.elevation * kDegree, .margin = kMargin});
    names.emplace_back(view.name);
  }
  throw Error({.code = ErrorCode::usage,
               .element = "camera \"" + spec + "\"",
               .value = spec,
               .problem = "is not known",
               .remedy = suggestion(spec, names, "use front, back, left, right, top, three-quarter or JSON")});
}

std::string camera_json(const Camera& camera) {
  const auto three = [](const Vec3& x) { return nlohmann::ordered_json{x.x(), x.y(), x.z()}; };
  nlohmann::ordered_json json{
      {"eye", three(camera.eye)}, {"target", three(camera.target)}, {"fov", camera.fov / kDegree}};
  if (camera.height > 0) json["height"] = camera.height;
  return json.dump();
}

SketchAbstraction find_abstraction(const Character& character, const std::string& name, In p, const Camera& camera) {
  std::vector<std::string> names{"stick", "outline", "action"};
  for (const SketchAbstraction& each : abstractions_of(character)) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  if (name == "stick") return stick_figure(character);
  if (name == "action") return line_of_action(character);
  if (name == "outline") return outline(character, p, camera);
  throw Error({.code = ErrorCode::usage,
               .file = character.name,
               .element = "abstraction \"" + name + "\"",
               .value = name,
               .problem = "does not exist",
               .remedy = suggestion(name, names, "use stick, outline or action")});
}

int SketchResult::unreached() const {
  int count = 0;
  for (const SketchedPose& pose : poses) count += pose.report.unreached();
  return count;
}

bool SketchResult::converged() const {
  return std::all_of(poses.begin(), poses.end(), [](const SketchedPose& pose) { return pose.report.converged; });
}

namespace {

/// The view of a moment: that of the job, of its strokes, of the drawing, of the abstraction, or from the front.
std::string camera_spec(const Character& character, const StrokeFile& drawing, const std::string& of_strokes,
                        const std::string& abstraction, const SketchJob& job) {
  for (const std::string& spec : {job.camera, of_strokes, drawing.camera})
    if (!spec.empty()) return spec;
  for (const SketchAbstraction& each : abstractions_of(character))
    if (each.name == abstraction && !each.camera.empty()) return each.camera;
  return "front";
}

}  // namespace

SketchResult pose_by_sketch(const Character& character, const StrokeFile& drawing, In p, const SketchJob& job,
                            const ProgressCallback& progress) {
  if (drawing.strokes.empty())
    throw Error({.element = "drawing", .problem = "has no strokes", .remedy = "draw a line"});
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  SketchOptions options = job.options;
  options.aspect = drawing.aspect();
  SketchResult result;
  std::unique_ptr<SketchPoser> poser;
  std::string made_for;  // view and abstraction of the poser
  Vec pose = p;
  const std::vector<Moment> moments = moments_of(drawing);
  for (std::size_t k = 0; k < moments.size(); ++k) {
    report(progress, "posing", static_cast<double>(k) / static_cast<double>(moments.size()));
    const std::string& name = moments[k].abstraction.empty() ? job.abstraction : moments[k].abstraction;
    const std::string spec = camera_spec(character, drawing, moments[k].camera, name, job);
    const Camera camera = sketch_camera(spec, s, drawing.aspect());
    if (k == 0) result.camera = camera;
    std::vector<Stroke> strokes = moments[k].strokes;
    const bool over = !moments[k].drawn_over.empty();
    if (!over && poser && made_for == spec + '\n' + name) {
      poser->set_pose(pose);
    } else {
      poser =
          std::make_unique<SketchPoser>(character,
                                        over ? drawn_abstraction(character, pose, camera, moments[k], options.aspect)
                                             : find_abstraction(character, name, pose, camera),
                                        camera, pose, options);
      made_for = over ? "" : spec + '\n' + name;
    }
    name_curves(strokes, poser->abstraction());
    SketchedPose made{
        .time = moments[k].time, .camera = camera, .report = poser->solve(strokes, false, {}), .strokes = strokes};
    made.p = pose = poser->controls();
    made.seen = poser->seen();
    result.poses.push_back(std::move(made));
  }
  result.abstraction = poser->abstraction().name;
  result.size = poser->size();
  result.free = poser->free();
  result.clip = clip_of(character, result.poses, job.clip);
  return result;
}

}  // namespace rigspace
