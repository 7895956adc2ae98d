#pragma once
// Private to physics: which fields of a model its file holds, in their order. A change here is a new kRealtimeFormat.

#include "realtime_model.h"
#include "rigspace/base/packed.h"

namespace rigspace {

template <class Archive, Like<PointTies> T>
void fields(Archive& archive, T& ties) {
  archive(ties.start, ties.point, ties.weight);
}

template <class Archive, Like<BlockJacobian> T>
void fields(Archive& archive, T& J) {
  archive(J.columns, J.start, J.column, J.value);
}

template <class Archive, Like<MassGroup> T>
void fields(Archive& archive, T& group) {
  archive(group.name, group.masses, group.damping, group.drag, group.weight, group.load, group.travel, group.push,
          group.wind, group.pull);
}

template <class Archive, Like<RodJoint> T>
void fields(Archive& archive, T& rod) {
  archive(rod.first, rod.axis, rod.bend, rod.twist, rod.rest);
}

/// Without its rig, and without what a step does not read: `whole`, `known`, `rest_jacobian`.
template <class Archive, Like<SteppedBody> T>
void fields(Archive& archive, T& body) {
  archive(body.free, body.ties, body.roles, body.moves, body.response, body.linear, body.groups, body.tets,
          body.poisson, body.stiffness, body.factors, body.stiffness_damping, body.rods, body.springs, body.coupling,
          body.limits, body.limit_weights, body.limit_stiffness, body.reach_limit, body.reach_stiffness, body.size,
          body.axes, body.force_floor);
}

template <class Archive, Like<TriMesh> T>
void fields(Archive& archive, T& mesh) {
  archive(mesh.points, mesh.triangles);
}

template <class Archive, Like<RealtimeHold> T>
void fields(Archive& archive, T& hold) {
  archive(hold.gain, hold.rate, hold.settle, hold.length, hold.flesh, hold.scaling);
}

/// Keys and hits are of clips.
template <class Archive, Like<PartSettings> T>
void fields(Archive& archive, T& part) {
  archive(part.amount, part.rate, part.settle, part.lag, part.overlap, part.sag, part.limit, part.hold, part.travel,
          part.push, part.mix);
}

template <class Archive, Like<RealtimePart> T>
void fields(Archive& archive, T& part) {
  archive(part.name, part.settings, part.rate, part.settle, part.lag, part.amount, part.spring_error);
}

template <class Archive, Like<RealtimeSettings> T>
void fields(Archive& archive, T& settings) {
  archive(settings.parts, settings.bodies, settings.wide, settings.holds, settings.scaling);
}

template <class Archive, Like<RealtimeOptions> T>
void fields(Archive& archive, T& options) {
  archive(options.step, options.window, options.max_substeps, options.max_iterations, options.tolerance,
          options.teleport_speed, options.snap_speed, options.metres_per_unit, options.material, options.poisson,
          options.tune, options.widen, options.springs);
}

template <class Archive, Like<StandInJoint> T>
void fields(Archive& archive, T& joint) {
  archive(joint.bone, joint.slot, joint.parent_slot, joint.above, joint.group, joint.controls, joint.places,
          joint.moves, joint.tail, joint.weight);
}

template <class Archive, Like<StandInGroup> T>
void fields(Archive& archive, T& group) {
  archive(group.pull, group.drag, group.error);
}

/// Without its rig, of which it reads the graph alone.
template <class Archive, Like<SpringStandIn> T>
void fields(Archive& archive, T& springs) {
  archive(springs.joints, springs.groups, springs.needed, springs.free_count, springs.snap_speed);
}

/// Without bodies and limbs, which have rigs, and light bodies, which follow from them.
template <class Archive, Like<RealtimeTraining> T>
void fields(Archive& archive, T& training) {
  archive(training.character.name, training.size, training.options, training.trained, training.free, training.places,
          training.groups, training.quaternions, training.whole);
}

/// What a file of any origin must have, so that stepping reads no memory that is not there. Throw Error.
void check_body(const Unpacker& in, const SteppedBody& body);
void check_settings(const Unpacker& in, const SteppedBody& body, const SteppedBody& settings);
void check_limbs(const Unpacker& in, const LimbMesh& limbs);
void check_training(const Unpacker& in, const RealtimeTraining& training);
void check_springs(const Unpacker& in, const SpringStandIn& springs, const RealtimeTraining& training);

}  // namespace rigspace
