#pragma once
// A force rig as a rig like any other: s(p) is the surface in static equilibrium, p the pose of the skeleton and the
// controls of the forces. Analytic Jacobian; its adjoint takes one solve.

#include "rigspace/apps/forces/force_rigs.h"
#include "rigspace/apps/forces/posed_lattice.h"
#include "rigspace/rig/rig.h"

namespace rigspace {

class ForceRig final : public Rig {
 public:
  /// Controls: those of the character that move joints of its skin or are named by a rig, then those of the rigs' own.
  /// Throws Error for a rig that is not valid.
  ForceRig(std::shared_ptr<const ForceBody> body, std::vector<ForceRigPart> rigs);

  const ForceBody& body() const { return *body_; }
  const std::shared_ptr<const ForceBody>& shared_body() const { return body_; }
  const std::vector<ForceRigPart>& rigs() const { return rigs_; }

  std::span<const Control> controls() const override { return controls_; }
  int point_count() const override { return surface_.count(); }
  Traits traits() const override { return {.exact_jacobian = true}; }
  std::unique_ptr<Workspace> make_workspace() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  void pull(Workspace&, In p, In g, Vec& g_p) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;

  /// What of p the character's own graph takes, and C of its joints there.
  void joints_at(In p, std::vector<Affine>& C) const;
  /// Q of all rigs at p.
  Vec force_at(In p) const;

 private:
  struct Memory;
  Vec graph_controls(In p) const;
  void equilibrium(Memory&, In p) const;
  /// - d(A y - b - R Q)/dp_k and where held vertices go, for bones that change by dC.
  void pose_change(const Memory&, std::span<const Affine> dC, Vec& right, Vec& d_held) const;
  void pull_pose(const Memory&, In lambda, In at_held, std::vector<Affine>& g_C) const;

  std::shared_ptr<const ForceBody> body_;
  std::vector<ForceRigPart> rigs_;
  HexEmbedding surface_;
  std::vector<Control> controls_;
  std::vector<int> graph_control_;  // of the first controls; the others are the rigs' own
  std::vector<int> rig_control_;    // of each rig, into controls_
};

/// The character with a force rig in place of its own: same surface, bones and clips, as far as the rig has their
/// controls.
Character force_character(const Character& character, std::shared_ptr<const ForceRig> rig);

}  // namespace rigspace
