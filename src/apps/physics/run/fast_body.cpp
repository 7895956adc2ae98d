#include "fast_body.h"

#include "fast_body_error.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/body/interior_response.h"
#include "rigspace/reduce/cubature_quality.h"
#include "rigspace/reduce/inside_shapes.h"
#include "rigspace/reduce/quadratic_rig_model.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

/// The body for training. Held nodes count as skin that the free controls do not move.
RigBody rig_body_of(const SteppedBody& body) {
  RigBody whole;
  whole.rig = body.rig, whole.ties = body.ties;
  for (const NodeRole role : body.roles) {
    whole.skin.push_back(role != NodeRole::interior);
    whole.held.push_back(role == NodeRole::held);
  }
  Vec s;
  body.rig->evaluate(*body.rig->make_workspace(), body.rig->rest(), s);
  whole.mesh = {Vec::Zero(3 * static_cast<Eigen::Index>(body.node_count())), body.tets};
  whole.ties.apply(s, whole.mesh.points);
  return whole;
}

std::vector<std::byte> content_of(const SteppedBody& body, const ReductionOptions& options) {
  ByteWriter out;
  out.number(static_cast<double>(options.material)), out.number(options.amplitude), out.number(body.poisson);
  if (options.quality != kDefaultQuality) out.number(options.quality);
  out.integers(body.free), out.integers(body.ties.start), out.integers(body.ties.point);
  out.values(Eigen::Map<const Vec>(body.ties.weight.data(), std::ssize(body.ties.weight)));
  out.values(Eigen::Map<const Vec>(body.factors.data(), std::ssize(body.factors)));
  for (const NodeRole role : body.roles) out.number(static_cast<double>(role));
  for (const Tet& tet : body.tets) out.integers(tet);
  const auto workspace = body.rig->make_workspace();
  BlockJacobian J;
  if (body.rest_jacobian)
    J = *body.rest_jacobian;
  else
    body.rig->jacobian(*workspace, body.rig->rest(), body.free, J);
  out.values(J.value.reshaped());
  Vec s;
  for (const Vec& pose : options.poses) {
    body.rig->evaluate(*workspace, pose, s);
    out.values(pose), out.values(s);
  }
  return out.bytes();
}

void write(const Reduction& reduction, ByteWriter& out) {
  std::vector<int> counts, nodes;
  std::vector<double> weights;
  for (const PointWeights& carriers : reduction.interior) {
    counts.push_back(static_cast<int>(carriers.size()));
    for (const auto& [node, weight] : carriers) nodes.push_back(node), weights.push_back(weight);
  }
  const auto numbers = [&](const std::vector<double>& list) {
    out.values(Eigen::Map<const Vec>(list.data(), std::ssize(list)));
  };
  out.integers(counts), out.integers(nodes), numbers(weights);
  rigspace::write(reduction.response, out);
  out.matrix(reduction.shapes), out.values(reduction.shapes_typical);
  const BodyCubature& c = reduction.cubature;
  for (const auto* list : {&c.elements, &c.masses}) {
    nodes.clear(), weights.clear();
    for (const auto& [element, weight] : *list) nodes.push_back(element), weights.push_back(weight);
    out.integers(nodes), numbers(weights);
  }
  out.integers(c.nodes);
  numbers({static_cast<double>(c.candidates), c.error, c.worst_error, c.lowest, c.highest, c.lowest_mass,
           c.highest_mass, c.reached ? 1.0 : 0.0});
  out.matrix(reduction.trained ? reduction.trained->K : Mat());
  out.number(reduction.trained ? reduction.trained->most : 0);
  rigspace::write(reduction.known ? std::span(*reduction.known) : std::span<const JacobianSample>(), out);
}

Reduction read(ByteReader in) {
  Reduction reduction;
  const std::vector<int> counts = in.integers(), nodes = in.integers();
  const Vec weights = in.values();
  Eigen::Index at = 0;
  for (const int count : counts) {
    PointWeights& carriers = reduction.interior.emplace_back();
    for (int k = 0; k < count; ++k, ++at) carriers.emplace_back(nodes[at], weights[at]);
  }
  reduction.response = read_jacobian(in);
  reduction.shapes = in.matrix(), reduction.shapes_typical = in.values();
  BodyCubature& c = reduction.cubature;
  for (auto* list : {&c.elements, &c.masses}) {
    const std::vector<int> elements = in.integers();
    const Vec shares = in.values();
    for (std::size_t k = 0; k < elements.size(); ++k)
      list->push_back({elements[k], shares[static_cast<Eigen::Index>(k)]});
  }
  c.nodes = in.integers();
  const Vec figures = in.values();
  c.candidates = static_cast<int>(figures[0]), c.error = figures[1], c.worst_error = figures[2];
  c.lowest = figures[3], c.highest = figures[4], c.lowest_mass = figures[5], c.highest_mass = figures[6];
  c.reached = figures[7] != 0;
  TrainedRange trained{.K = in.matrix()};
  trained.most = in.number();
  if (trained.most > 0) reduction.trained = std::make_shared<const TrainedRange>(std::move(trained));
  std::vector<JacobianSample> known = read_jacobian_samples(in);
  if (known.empty()) return reduction;
  reduction.known = std::make_shared<const std::vector<JacobianSample>>(std::move(known));
  return reduction;
}

/// Adds the nodes that the controls move farthest, so that Stepper::reach of a sampled body is that of the whole body.
void add_farthest(const RigBody& body, std::span<const int> free, std::vector<int>& nodes) {
  constexpr std::size_t kMost = 24;
  BlockJacobian J;
  body.rig->jacobian(*body.rig->make_workspace(), body.rig->rest(), free, J);
  std::vector<std::pair<double, int>> ways;
  for (int i = 0; i < body.node_count(); ++i) {
    double way = 0;
    if (!body.skin[i]) continue;
    body.ties.for_each(i, [&](int point, double weight) {
      for (int j = J.start[point]; j < J.start[point + 1]; ++j)
        way += weight * J.value.col(j).norm() * body.rig->controls()[free[J.column[j]]].typical;
    });
    if (way > 0) ways.emplace_back(-way, i);
  }
  std::sort(ways.begin(), ways.end());
  for (std::size_t k = 0; k < std::min(kMost, ways.size()); ++k) nodes.push_back(ways[k].second);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

/// Examples with deviations far from each other, by farthest-point sampling that starts from no deviation.
std::vector<const ExamplePose*> spread(const Rig& rig, std::span<const int> free, std::span<const ExamplePose> examples,
                                       std::size_t count) {
  Mat deviations(std::ssize(free), std::ssize(examples));
  for (std::size_t i = 0; i < examples.size(); ++i)
    for (std::size_t c = 0; c < free.size(); ++c)
      deviations(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(i)) =
          (examples[i].p[free[c]] - examples[i].p_key[free[c]]) / rig.controls()[free[c]].typical;
  Vec apart = deviations.colwise().squaredNorm().transpose();
  std::vector<const ExamplePose*> chosen;
  while (chosen.size() < std::min(count, examples.size())) {
    Eigen::Index farthest = 0;
    if (!(apart.maxCoeff(&farthest) > 0)) break;
    chosen.push_back(&examples[static_cast<std::size_t>(farthest)]);
    const Vec there = deviations.col(farthest);
    apart = apart.cwiseMin((deviations.colwise() - there).colwise().squaredNorm().transpose());
  }
  return chosen;
}

/// For a black box with many controls: Jacobians at the poses of training and at up to 24 examples.
std::vector<JacobianSample> known_jacobians(const RigBody& body, std::span<const int> free, std::span<const Vec> poses,
                                            std::span<const ExamplePose> examples) {
  constexpr std::size_t kMost = 24;
  std::vector<JacobianSample> known;
  for (const Vec& pose : poses) known.push_back(sample_jacobian(*body.rig, free, pose, pose));
  for (const ExamplePose* each : spread(*body.rig, free, examples, std::min(kMost, 2 + 2 * free.size())))
    known.push_back(sample_jacobian(*body.rig, free, each->p_key, each->p));
  return known;
}

/// At most 48 of the examples, evenly chosen, since each costs a Jacobian.
std::vector<ExamplePose> thinned(const std::vector<ExamplePose>& examples) {
  constexpr std::size_t kMost = 48;
  if (examples.size() <= kMost) return examples;
  std::vector<ExamplePose> some;
  for (std::size_t k = 0; k < kMost; ++k) some.push_back(examples[k * examples.size() / kMost]);
  return some;
}

/// What few elements are trained on: the body with its inside's shapes as further controls, y of each example as their
/// values.
struct WithShapes {
  RigBody whole;
  std::vector<int> free;
  std::vector<ExamplePose> examples;
  BlockJacobian response;

  WithShapes(const RigBody& body, std::span<const int> of, std::vector<ExamplePose> shaken, const BlockJacobian& C,
             const InsideShapes& shapes)
      : whole(body), free(of.begin(), of.end()), examples(std::move(shaken)), response(C) {
    if (shapes.empty()) return;
    const auto own = static_cast<int>(body.rig->controls().size());
    const Eigen::Index count = shapes.S.cols();
    whole.rig = with_idle_controls(body.rig, shapes.typical);
    for (int k = 0; k < count; ++k) free.push_back(own + k);
    response = response_with_shapes(C, shapes.S);
    for (std::size_t k = 0; k < examples.size(); ++k) {
      Vec p(own + count), p_key = Vec::Zero(own + count);
      p << examples[k].p, shapes.y[k];
      p_key.head(own) = examples[k].p_key;
      examples[k].p = p, examples[k].p_key = p_key;
    }
  }
};

/// K of the controls where the shapes beside them are in balance.
Mat controls_alone(const Mat& K, Eigen::Index controls) {
  const Eigen::Index shapes = K.rows() - controls;
  Mat alone = K.topLeftCorner(controls, controls);
  if (shapes == 0) return alone;
  const Mat between = K.bottomLeftCorner(shapes, controls);
  return alone - between.transpose() * solve_ldlt(K.bottomRightCorner(shapes, shapes), between);
}

/// Appends the amounts of the shapes to the controls of a reduced body.
void add_shapes(const Reduction& reduction, std::span<const int> nodes, SteppedBody& few) {
  few.shapes = static_cast<int>(reduction.shapes.cols());
  if (few.shapes == 0) return;
  Mat S(3 * std::ssize(nodes), few.shapes);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    S.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = reduction.shapes.middleRows<3>(3 * nodes[k]);
  const auto own = static_cast<int>(few.rig->controls().size());
  few.rig = with_idle_controls(few.rig, reduction.shapes_typical);
  for (int k = 0; k < few.shapes; ++k) few.free.push_back(own + k);
  few.response = response_with_shapes(few.response, S);
}

}  // namespace

Reduction train_reduction(const SteppedBody& body, const ReductionOptions& options, const ProgressCallback& progress) {
  constexpr std::string_view kKind = "reduction 3";  // the number of the layout of `write`
  constexpr std::size_t kFew = 32;  // controls: with more, second differences cost too many evaluations
  const std::vector<std::byte> content = options.use_cache ? content_of(body, options) : std::vector<std::byte>();
  if (options.use_cache)
    if (const auto known = from_cache(kKind, content)) return read(ByteReader(*known));
  RigBody whole = rig_body_of(body);
  std::vector<JacobianSample> samples;
  std::vector<Vec> poses(options.poses.begin(), options.poses.end());
  double sampled = 0;
  if (!body.rig->traits().exact_jacobian && body.free.size() <= kFew && !poses.empty()) {
    // Training runs on a model of the samples: no further evaluations of the black box, and on many threads.
    sampled = 0.3;
    samples = sample_jacobians(*body.rig, body.free, poses, part_of_progress(progress, 0, sampled, "training"));
    const auto model = std::make_shared<QuadraticRigModel>(body.rig, body.free, samples);
    if (!model->poses().empty()) whole.rig = model, poses = model->poses();
  }
  const bool black_box = !whole.rig->traits().exact_jacobian;
  const Material material{.kind = options.material, .poisson = body.poisson};
  const std::vector<ExamplePose> examples =
      shake(whole, body.free, poses,
            {.amplitude = options.amplitude, .material = material, .rest_follows = true, .probes = true},
            part_of_progress(progress, sampled, 0.6, "training"));
  Reduction reduction;
  reduction.interior = skin_interior(whole, examples, {}, part_of_progress(progress, 0.6, 0.75, "training")).weights;
  const bool exact = body.rig->traits().exact_jacobian;
  const int shape_count = exact ? shapes_with_quality(options.quality) : 0;
  // Jacobians of a black box are too coarse for what the inside lacks beside its balance.
  reduction.response = interior_response(whole, body.free, reduction.interior, material, body.factors,
                                         exact ? InsideMotion::swinging : InsideMotion::balanced);
  const InsideShapes shapes = inside_shapes(whole, body.free, reduction.interior, reduction.response, examples,
                                            material, body.factors, shape_count);
  reduction.shapes = shapes.S, reduction.shapes_typical = shapes.typical;
  const WithShapes beside(whole, body.free, black_box ? thinned(examples) : examples, reduction.response, shapes);
  reduction.cubature = train_cubature(beside.whole, beside.free, reduction.interior, beside.examples,
                                      {.material = material,
                                       .stiffness = body.factors,
                                       .response = &beside.response,
                                       .rest_follows = true,
                                       .setting = with_quality(cubature_setting(body.tets.size()), options.quality)},
                                      part_of_progress(progress, 0.75, 1, "training"));
  reduction.cubature.stiffness = controls_alone(reduction.cubature.stiffness, std::ssize(body.free));
  add_farthest(whole, body.free, reduction.cubature.nodes);
  reduction.trained = trained_range(body, examples, reduction.cubature.stiffness);
  if (black_box && samples.empty()) samples = known_jacobians(whole, body.free, options.poses, examples);
  if (!samples.empty()) reduction.known = std::make_shared<const std::vector<JacobianSample>>(std::move(samples));
  if (options.use_cache) {
    ByteWriter out;
    write(reduction, out);
    to_cache(kKind, content, out.bytes());
  }
  return reduction;
}

std::vector<std::byte> content_of(const Reduction& reduction) {
  ByteWriter out;
  write(reduction, out);
  return out.bytes();
}

SteppedBody reduced(const SteppedBody& body, const Reduction& reduction, bool all_elements) {
  SteppedBody few = body;
  std::vector<int> nodes = reduction.cubature.nodes;
  if (all_elements) {
    nodes.resize(static_cast<std::size_t>(body.node_count()));
    for (int i = 0; i < body.node_count(); ++i) nodes[i] = i;
  }
  // `points`: points of the rig for the keyed positions of the nodes and for `moves`, the ties of their deviations.
  std::vector<std::map<int, double>> moves(nodes.size());
  std::vector<int> points;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const int i = nodes[k];
    const auto add = [&](int node, double share) {
      body.ties.for_each(node, [&](int point, double weight) {
        const double part = share * weight;  // rounded before it is added, with and without fused multiply-add
        if (const auto [at, added] = moves[k].try_emplace(point, part); !added) at->second += part;
      });
    };
    if (body.roles[i] == NodeRole::bound) add(i, 1);
    if (body.roles[i] == NodeRole::interior)
      for (const auto& [node, weight] : reduction.interior[i])
        if (body.roles[node] == NodeRole::bound) add(node, weight);  // held carriers do not deviate
    const std::span<const int> keyed = body.ties.points_of(i);
    points.insert(points.end(), keyed.begin(), keyed.end());
    for (const auto& [p, w] : moves[k]) points.push_back(p);
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  const auto place = [](const std::vector<int>& list, int value) {
    return static_cast<int>(std::lower_bound(list.begin(), list.end(), value) - list.begin());
  };

  few.response = rows_of(reduction.response, nodes);
  few.linear = true;
  few.trained = reduction.trained;
  few.whole = std::make_shared<WholeBody>(WholeBody{body, reduction.interior});
  // A black box costs the same for few points as for all. With all points, poses that others evaluated are remembered.
  const bool black_box = !body.rig->traits().exact_jacobian;
  if (black_box) few.known = reduction.known, points.resize(static_cast<std::size_t>(body.rig->point_count()));
  if (static_cast<int>(points.size()) < body.rig->point_count())
    few.rig = body.rig->restricted(points);
  else
    for (std::size_t k = 0; k < points.size(); ++k) points[k] = static_cast<int>(k);
  few.ties = {}, few.moves = {}, few.roles.clear();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const int i = nodes[k];
    few.ties.append(body.ties, i, points);
    for (const auto& [p, w] : moves[k]) few.moves.add(place(points, p), w);
    few.moves.end_row();
    const bool moving = !moves[k].empty() || few.response.start[k] < few.response.start[k + 1];
    few.roles.push_back(moving ? NodeRole::bound : NodeRole::held);
  }
  add_shapes(reduction, nodes, few);
  if (all_elements) return few;

  few.tets.clear();
  for (const auto& [element, weight] : reduction.cubature.elements) {
    Tet tet = body.tets[element];
    for (int& corner : tet) corner = place(nodes, corner);
    few.tets.push_back(tet);
  }
  for (MassGroup& group : few.groups) {
    group.masses = Vec::Zero(std::ssize(nodes));
    for (const auto& [node, mass] : reduction.cubature.masses) group.masses[place(nodes, node)] = mass;
  }
  sample_settings(reduction, body.node_count(), few);
  return few;
}

void sample_settings(const Reduction& reduction, int nodes, SteppedBody& settings) {
  std::vector<double> factors;
  for (const auto& [element, weight] : reduction.cubature.elements)
    factors.push_back(weight * (settings.factors.empty() ? 1 : settings.factors[element]));
  settings.factors = std::move(factors);
  settings.reach_stiffness *= static_cast<double>(nodes) / static_cast<double>(reduction.cubature.nodes.size());
}

}  // namespace rigspace
