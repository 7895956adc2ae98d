#pragma once
// Bad input ends in one sentence that names the file, the thing, the value and the remedy.

#include <stdexcept>
#include <string>
#include <string_view>

namespace rigspace {

/// The program's exit codes; what() of an Error is for people, code() for scripts.
enum class ErrorCode {
  internal = 1,
  usage = 2,
  bad_input = 3,
  not_converged = 4,
  external_process = 5,
  cancelled = 130
};

std::string_view name(ErrorCode);

/// All fields but `problem` may be empty. `what()` reads
///   walk.bvh:41: joint "Spine" has 5 channels; expected 3 or 6
/// from {.file = "walk.bvh:41", .element = "joint \"Spine\"", .problem = "has 5 channels", .remedy = "expected 3 or
/// 6"}.
struct ErrorInfo {
  ErrorCode code = ErrorCode::bad_input;
  std::string file;     ///< path, with :line where there is one
  std::string element;  ///< the thing that is wrong, as the file's author would call it
  std::string value;    ///< the offending value, for machines; the sentence usually contains it already
  std::string problem;  ///< a predicate: "has 5 channels"
  std::string remedy;   ///< what to do, or what was expected
};

class Error : public std::runtime_error {
 public:
  explicit Error(ErrorInfo info);

  const ErrorInfo& info() const { return info_; }
  ErrorCode code() const { return info_.code; }

  /// The same error with the name of its file, which the caller adds.
  Error in_file(std::string file) const;

 private:
  ErrorInfo info_;
};

/// Thrown by long operations whose progress callback returned false.
class Cancelled : public Error {
 public:
  Cancelled() : Error({.code = ErrorCode::cancelled, .problem = "cancelled"}) {}
};

}  // namespace rigspace
