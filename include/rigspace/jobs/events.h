#pragma once
// How a job speaks to whoever started it: the library itself never prints.

#include "rigspace/base/progress.h"

#include <functional>
#include <string>
#include <vector>

namespace rigspace {

struct JobEvents {
  ProgressCallback progress;  ///< shows how far it is; returning false cancels the job
  /// Text for people, whole lines, as it comes: parts, clips, results.
  std::function<void(const std::string& text)> say;
  /// What was repaired in a file or survived on the way, one sentence each.
  std::function<void(const std::string& file, const std::vector<std::string>& sentences)> warn;

  void print(const std::string& text) const {
    if (say) say(text);
  }
  void print_warnings(const std::string& file, const std::vector<std::string>& sentences) const {
    if (warn && !sentences.empty()) warn(file, sentences);
  }
};

}  // namespace rigspace
