#pragma once
// Rigs that live in other programs: Maya, Houdini, a script. They are asked over standard streams; the protocol, for
// whoever writes the other side, is docs/process-rigs.md.

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <string>
#include <vector>

namespace rigspace {

struct ProcessRigOptions {
  std::string command;            ///< for /bin/sh -c; speaks the protocol on its standard streams
  int processes = 1;              ///< how many to run; a batch is shared out among them
  double handshake_seconds = 60;  ///< longest silence before the controls are told: programs start slowly
  double answer_seconds = 60;     ///< longest silence within a question and its answer
  ProgressCallback progress;      ///< may cancel a wait: Cancelled is thrown; called from the evaluating thread

  void validate() const;
};

/// The rig of another program. A batch, and so a Jacobian by differences, is one round trip.
///
/// A process that dies, falls silent, or answers what cannot be an answer (wrong size, not finite, not the protocol) is
/// ended, started again and asked the same once more: rigs are functions of p, so nothing is lost. Failing again on the
/// same question is an Error (external_process) that names the command, what happened and its last words; so is a
/// failure before the first handshake, at once, and a process that itself answers that it cannot. After an Error the
/// rig may be asked again; it starts a new process.
///
/// Not concurrent by its traits, but safe: threads wait for each other.
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

  /// One sentence for each time that a process had to be started again: the latest 20.
  std::vector<std::string> incidents() const;
  /// Questions that were answered, over all processes.
  long batches() const;

 private:
  friend Character start_character(ProcessRigOptions);
  struct Content;
  std::unique_ptr<Content> content_;
};

/// A whole character from another program: its rig, and the pieces with triangles and colours that it tells of. It has
/// no clips.
Character start_character(ProcessRigOptions options);

}  // namespace rigspace
