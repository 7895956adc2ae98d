#pragma once
// Rigs in other programs: Maya, Houdini, a script. They are evaluated over standard streams; the protocol, for whoever
// writes the other side, is docs/process-rigs.md.

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <string>
#include <vector>

namespace rigspace {

class ProcessBatches;

struct ProcessRigOptions {
  std::string command;  ///< for /bin/sh -c; speaks the protocol on its standard streams
  /// How many to run; a batch is shared out among them, with the same result to the bit. 0: one a core, the second and
  /// later ones only once batches have taken as long as the start of the first, and without waiting for them.
  int processes = 0;
  std::string name = {};          ///< what messages call it; empty: rig process "COMMAND"
  double handshake_seconds = 60;  ///< longest silence before the handshake: programs start slowly
  double answer_seconds = 60;     ///< longest silence within a question and its answer
  /// Memory for evaluated poses, for all points and for each subset of points: a pose that comes again, for the same
  /// points or fewer, is not evaluated again. 0: none is kept.
  std::size_t remember_bytes = std::size_t{1} << 29;
  /// Points at rest and with one control moved are kept between runs, in the cache (base/cache.h), as long as the rig
  /// has the same points in three poses. Only for rigs without exact Jacobians, and if remember_bytes > 0.
  bool cache_rest_poses = false;
  ProgressCallback progress;  ///< may cancel a wait: Cancelled is thrown; called from the evaluating thread

  void validate() const;
};

/// The rig of another program. A batch, and so a Jacobian by differences, is one round trip.
///
/// A process that dies, falls silent, or answers what cannot be an answer (wrong size, not finite, not the protocol) is
/// ended, started again and sent the same request once more: rigs are functions of p, so nothing is lost. Failing again
/// on the same question is an Error (external_process) that names the command, what happened and its last words; so is
/// a failure before the first handshake, at once, and a process that itself answers that it cannot. After an Error the
/// rig may be evaluated again; it starts a new process.
///
/// Not concurrent by its traits, but safe: threads wait for each other. What it is restricted to has its processes too,
/// and keeps them alive; the points themselves are left out over there, where the process says that it can, else here.
class ProcessRig final : public Rig {
 public:
  explicit ProcessRig(ProcessRigOptions options);
  ~ProcessRig() override;

  std::span<const Control> controls() const override;
  int point_count() const override;
  /// Noise as the process states it, else measured when it starts. The Jacobian is exact if the process gives one.
  Traits traits() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void evaluate_batch(Workspace&, const Mat& P, Mat& S) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;

  /// One sentence for each time that a process had to be started again: the latest 20.
  std::vector<std::string> incidents() const override;
  /// Questions that were answered, over all processes.
  long batches() const;
  /// Poses, and columns of Jacobians, that processes answered; those of what the rig was restricted to included.
  long evaluations() const;
  std::optional<long> evaluation_count() const override { return evaluations(); }
  /// JSON: the process's description of its rig, from which it can be built here too (see load_blend); empty if it does
  /// not.
  const std::string& plain() const;

 private:
  friend Character start_character(ProcessRigOptions);
  std::shared_ptr<ProcessBatches> batches_;
};

/// A whole character from another program: its rig, and what it sends of pieces with triangles and colours, clips and
/// warnings.
Character start_character(ProcessRigOptions options);

}  // namespace rigspace
