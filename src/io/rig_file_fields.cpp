#include "rig_file_fields.h"

#include "rigspace/geometry/tri_mesh.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

Quat euler_xyz(const Vec3& degrees) {
  return Quat(Eigen::AngleAxisd(degrees.z() * kDegree, Vec3::UnitZ()) *
              Eigen::AngleAxisd(degrees.y() * kDegree, Vec3::UnitY()) *
              Eigen::AngleAxisd(degrees.x() * kDegree, Vec3::UnitX()));
}

}  // namespace

void read_number(const Field& field, const char* key, double& value, double low, double high) {
  read_optional(field, key, value, [&](const Field& f) { return f.number(low, high); });
}
void read_text(const Field& field, const char* key, std::string& value) {
  read_optional(field, key, value, [](const Field& f) { return f.text(); });
}
void read_vec3(const Field& field, const char* key, Vec3& value) {
  read_optional(field, key, value, [](const Field& f) { return f.vec3(); });
}
void read_flag(const Field& field, const char* key, bool& value) {
  read_optional(field, key, value, [](const Field& f) { return f.boolean(); });
}
void read_value(const Field& field, const char* key, plan::Value& result) {
  read_optional(field, key, result, [](const Field& f) {
    if (!f.is_text() && !f.is_number()) f.fail("is neither a number nor an expression in quotes");
    return f.is_text() ? plan::Value(f.text()) : plan::Value(f.number());
  });
}

Affine read_affine(const Field& field) {
  const std::vector<double> numbers = field.numbers();
  if (numbers.size() != 12)
    field.fail("has " + std::to_string(numbers.size()) + " numbers", "expected 12: three axes and an origin");
  const Affine A = Eigen::Map<const Affine>(numbers.data());
  if (!(std::abs(linear(A).determinant()) > 1e-300)) field.fail("is flat", "its three axes must span space");
  return A;
}

Quat read_orientation(const Field& field) {
  const auto quaternion = field.find("rotation");
  const auto angles = field.find("rotate");
  if (quaternion && angles) angles->fail("stands beside \"rotation\"", "give one of them");
  if (angles) return euler_xyz(angles->vec3());
  if (!quaternion) return Quat::Identity();
  const std::vector<double> q = quaternion->numbers();
  if (q.size() != 4) quaternion->fail("has " + std::to_string(q.size()) + " numbers", "expected 4: x y z w");
  const Quat result(q[3], q[0], q[1], q[2]);
  if (!(result.norm() > 1e-9)) quaternion->fail("has no length");
  return result.normalized();
}

Affine read_box(const Field& field) {
  if (const auto frame = field.find("frame")) return read_affine(*frame);
  const Field boxed = field["box"];
  boxed.allow({"center", "size", "rotate", "rotation"});
  const Vec3 size = boxed["size"].vec3();
  if (!(size.minCoeff() > 0)) boxed["size"].fail("has a side that is not positive", "give three positive lengths");
  Affine A;
  linear(A) = read_orientation(boxed).toRotationMatrix() * size.asDiagonal();
  translation(A) = boxed["center"].vec3() - 0.5 * linear(A) * Vec3::Ones();
  return A;
}

Affine read_handle_frame(const Field& field) {
  if (const auto frame = field.find("frame")) return read_affine(*frame);
  Affine A = Affine::Identity();
  linear(A) = read_orientation(field).toRotationMatrix();
  Vec3 at = Vec3::Zero();
  read_vec3(field, "at", at);
  translation(A) = at;
  return A;
}

plan::Mask read_mask(const Field& field) {
  plan::Mask result;
  const auto where = field.find("where");
  if (!where) return result;
  where->allow({"joints", "balls", "points", "weights"});
  read_optional(*where, "joints", result.joints, [](const Field& f) { return f.texts(); });
  if (const auto balls = where->find("balls"))
    for (const Field& each : balls->items()) {
      each.allow({"center", "inner", "outer"});
      plan::Mask::Ball ball{.center = each["center"].vec3(), .inner = 0, .outer = each["outer"].number(0, 1e12)};
      read_number(each, "inner", ball.inner, 0, ball.outer);
      result.balls.push_back(ball);
    }
  if (const auto points = where->find("points")) {
    for (const Field& each : points->items()) result.points.push_back(each.integer(0, 1 << 30));
    result.weights = (*where)["weights"].numbers();
    if (result.weights.size() != result.points.size())
      (*where)["weights"].fail("has " + std::to_string(result.weights.size()) + " numbers",
                               "expected one per point: " + std::to_string(result.points.size()));
  }
  return result;
}

std::string read_name(const Field& field) {
  const std::string name = field["name"].text();
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; }))
    field["name"].fail("holds a character that cannot be printed");
  return name;
}

double ordinary_length(const RigPlan& plan) {
  return plan.points_rest.size() > 0 ? 0.1 * bounding_box(plan.points_rest).size().maxCoeff() : 1;
}

}  // namespace rigspace
