#pragma once
// What the law checkers answer: which laws were looked at, and the first that was broken, in one sentence.

#include <ostream>
#include <string>

namespace rigspace::testing {

class LawReport {
 public:
  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }  ///< empty while all laws hold
  int checks() const { return checks_; }                   ///< how many single comparisons were made

  /// Counts one comparison; keeps the first failure.
  void require(bool holds, const std::string& sentence) {
    ++checks_;
    if (!holds && message_.empty()) message_ = sentence;
  }

 private:
  std::string message_;
  int checks_ = 0;
};

/// Six digits, for sentences.
std::string short_number(double value);

/// So that EXPECT_TRUE(check_energy(...)) prints the sentence.
inline std::ostream& operator<<(std::ostream& out, const LawReport& report) {
  return out << (report.ok() ? "all laws hold" : report.message());
}

}  // namespace rigspace::testing
