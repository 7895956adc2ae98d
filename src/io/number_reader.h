#pragma once
// Numbers out of a file that is text, or raw bytes between lines of text. Nothing is read beyond the end.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rigspace {

/// What a message can show of a word from a broken file.
std::string shown(std::string_view word);

class NumberReader {
 public:
  /// Keeps references. `file` is for messages.
  NumberReader(std::span<const std::byte> bytes, const std::string& file);

  bool binary = false;

  /// Always text: the next word, or empty at the end.
  std::string_view word();
  /// The word that would come next; stays where it is.
  std::string_view peek();
  /// To the beginning of the next line.
  void next_line();
  /// To just after the next occurrence of `text`; false, and to the end, if there is none.
  bool skip_past(std::string_view text);

  /// Text, or 4, 8, 8 raw bytes in binary parts. `what` names the number in messages.
  std::int64_t integer(std::string_view what);
  std::int64_t size(std::string_view what);
  double real(std::string_view what);
  /// A text number in any case.
  std::int64_t text_integer(std::string_view what);

  /// A count of things that take at least `bytes_each` bytes in what is left, or fails.
  std::int64_t count(std::int64_t value, std::string_view what, std::int64_t bytes_each);

  [[noreturn]] void fail(std::string_view element, const std::string& problem, std::string_view remedy) const;

 private:
  template <class Value>
  Value raw(std::string_view what);
  std::size_t left() const { return text_.size() - at_; }
  void skip_space();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  mutable std::size_t counted_to_ = 0;
  mutable int line_ = 1;
};

}  // namespace rigspace
