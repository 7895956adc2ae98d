#pragma once
// Private to io: values that several sections of a rig file share. Each throws Error with file, line and field. A key
// that is absent leaves its value as it is.

#include "rigspace/base/affine.h"
#include "rigspace/io/json_text.h"
#include "rigspace/rig/rig_plan.h"

#include <string>

namespace rigspace {

template <class T, class Read>
void read_optional(const Field& field, const char* key, T& value, Read&& read) {
  if (const auto found = field.find(key)) value = read(*found);
}
void read_number(const Field& field, const char* key, double& value, double low = -1e12, double high = 1e12);
void read_text(const Field& field, const char* key, std::string& value);
void read_vec3(const Field& field, const char* key, Vec3& value);
void read_flag(const Field& field, const char* key, bool& value);
/// A number, or an expression in quotes.
void read_value(const Field& field, const char* key, plan::Value& result);

/// "rotation" as a quaternion x y z w, or "rotate" in degrees about x, then y, then z.
Quat read_orientation(const Field& field);
/// 12 numbers: three axes and an origin. Throws Error if they are flat.
Affine read_affine(const Field& field);
/// "frame" as 12 numbers, or "box" with center, size and rotation: the map from the unit cube to the box.
Affine read_box(const Field& field);
/// "frame" as 12 numbers, or "at" and "rotate": where a handle stands.
Affine read_handle_frame(const Field& field);
/// "where": the points that a deformer moves.
plan::Mask read_mask(const Field& field);
/// "name", which must be printable, so that lists and messages stay on one line.
std::string read_name(const Field& field);

/// Scene units: the typical change of a length, a tenth of the largest extent at rest.
double ordinary_length(const RigPlan& plan);

}  // namespace rigspace
