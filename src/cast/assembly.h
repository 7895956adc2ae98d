#pragma once
// A character under construction: joints, then surfaces, then what deforms them.

#include "flesh.h"
#include "members.h"
#include "puppet.h"
#include "rigspace/cast/sketch_curves.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace rigspace {

/// A curve of a sketch abstraction in the making: points at rest in the character's space, hung on joints.
struct CurveDraft {
  std::string name;
  std::vector<Vec3> points;
  std::vector<std::vector<Influence>> influences;  ///< joints of the skeleton
  bool closed = false;
};
struct AbstractionDraft {
  std::string name;
  std::vector<CurveDraft> curves;
};

struct Assembly {
  Character character;
  RigPlan plan;  ///< deformers before the skins are the caller's, and controls, drivers, IK
  /// Joints whose flesh hangs on another node, which rests where the joint does: its name, by the joint's.
  std::map<std::string, std::string> carriers;
  std::vector<plan::Deformer> after_skins;  ///< version `rig` alone

  /// One material for each name; colours come from the surfaces' points.
  Assembly(std::string name, std::initializer_list<const char*> materials);

  /// The joints as nodes, bones, and joints of the skin.
  void add_joints(const puppet::Skeleton& skeleton);
  /// A surface as a piece; returns its first point. One named "proxy" is not drawn.
  int add(const flesh::Flesh& flesh);

  /// `rig`: built from the plan, with a linear skin for each piece, and curves that are skinned by the same joints.
  /// `skeleton`: nodes, shapes and one linear skin alone.
  CastSketch finish(Version version, std::span<const AbstractionDraft> drafts = {}) &&;

 private:
  void add_skins();
  std::string carrier_of(int joint) const;
  CastAbstraction abstraction_of(const AbstractionDraft& draft, const BuiltRig& built) const;
  std::shared_ptr<const Rig> skeleton_rig();
  Affine inverse_bind(int joint) const;

  std::vector<double> points_;  // at rest, flattened
  std::vector<puppet::Joint> joints_;
  std::vector<std::vector<Influence>> influences_;  // of all points
};

/// Where a deformer acts on a surface: `weight` at its points, those below a thousandth left out.
plan::Mask mask_of(const flesh::Flesh& flesh, const std::function<double(const Vec3&)>& weight);

/// An angle, or a switch from 0 to 1: a control that stands alone. Its node is the name up to the first . or :
Control angle_control(const std::string& name, double typical);
Control switch_control(const std::string& name);

/// Puts a control into a group, within limits in its own unit (angles: degrees).
void offer(RigPlan& plan, const std::string& control, const char* group, double low, double high);
/// Adds a driver's value to a channel.
void drive(RigPlan& plan, std::string channel, std::string expression);

}  // namespace rigspace
