#pragma once
// Private to io: batches of poses as questions to the processes of one rig.

#include "process_conversation.h"
#include "process_memory.h"
#include "rest_pose_cache.h"
#include "rigspace/base/types.h"

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

/// Shared by a rig and by what it is restricted to. Safe: threads wait for each other.
class ProcessBatches {
 public:
  explicit ProcessBatches(ProcessRigOptions options);

  const ProcessHandshake& handshake() const { return conversation_.handshake(); }
  const ProcessConversation& conversation() const { return conversation_; }

  /// Whether answers are kept, so that no pose is evaluated twice.
  bool remembers() const { return remember_bytes_ > 0; }

  /// s of each column of P, shared out among the processes, unless it is known. `points`: only of these, ascending;
  /// empty: of all.
  void evaluate(Eigen::Ref<const Mat> P, std::span<const int> points, Mat& S);
  /// ds/dp, a column for each of `free`. For processes that answer Jacobians.
  void differentiate(In p, std::span<const int> free, std::span<const int> points, Mat& columns);

  double noise = 0;  ///< scene units, of a coordinate

 private:
  /// Whether the process can compute a subset of the points; otherwise it sends all and the subset is picked here.
  bool computes_some(std::span<const int> points) const { return !points.empty() && handshake().some_points; }
  Eigen::Index coordinates(bool some, std::span<const int> points) const;
  std::vector<std::byte> beginning(std::span<const int> points) const;
  bool find_in_larger_sets(In p, std::span<const int> points, Eigen::Ref<Vec> s);
  void find_in_rest_cache(Eigen::Ref<const Mat> P, std::span<const int> points, std::vector<Eigen::Index>& open, Mat& S,
                          ProcessMemory& known);
  void ask(const Mat& P, std::span<const int> points, Mat& S);

  std::size_t remember_bytes_;
  std::mutex mutex_;
  std::map<std::vector<int>, ProcessMemory> known_;  ///< by the points
  ProcessConversation conversation_;
  std::optional<RestPoseCache> rest_;
};

}  // namespace rigspace
