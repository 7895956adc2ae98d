#include "bvh_names.h"
#include "gltf_scene.h"
#include "number_reader.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/bvh.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rigspace {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i++]);
    const int more = lead < 0x80 ? 0 : lead < 0xC2 ? -1 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : -1;
    if (more < 0 || i + more > bytes.size()) return false;
    unsigned code = more == 0 ? lead : lead & (0x3F >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if ((bytes[i] & 0xC0) != 0x80) return false;
      code = code << 6 | (bytes[i] & 0x3F);
    }
    const unsigned least[] = {0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
  }
  return true;
}

/// A name as UTF-8 without control characters; bytes that are no UTF-8 are taken for Latin-1.
std::string readable_name(std::string_view bytes) {
  const bool utf8 = is_utf8(bytes);
  std::string text;
  for (const char c : bytes) {
    const auto code = static_cast<unsigned char>(c);
    if (code < ' ' || code == 0x7F)
      text += '_';
    else if (code < 0x80 || utf8)
      text += c;
    else
      text += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
  }
  return text;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Words and lines of the text, with the line they stand on.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  int line() const { return line_; }

  /// The next word; braces are words of their own. Empty at the end.
  std::string_view next() {
    skip(true);
    std::size_t end = at_;
    if (end < text_.size() && is_brace(text_[end]))
      ++end;
    else
      while (end < text_.size() && !is_blank(text_[end]) && text_[end] != '\n' && !is_brace(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }

  std::string_view peek() {
    const std::size_t at = at_;
    const int line = line_;
    const std::string_view word = next();
    at_ = at, line_ = line;
    return word;
  }

  /// What is left of the line, up to a brace, without blanks at its ends.
  std::string_view rest_of_line() {
    skip(false);
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n' && !is_brace(text_[end])) ++end;
    std::string_view rest = text_.substr(at_, end - at_);
    at_ = end;
    while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
    return rest;
  }

  /// To the next line that is not blank.
  void to_line() { skip(true); }

  /// The next line that is not blank; false at the end.
  bool next_line(std::string_view& line) {
    skip(true);
    if (at_ >= text_.size()) return false;
    line = text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
    at_ += line.size();
    return true;
  }

  double number(std::string_view what) {
    const std::string_view word = next();
    return number_of(word, what);
  }

  double number_of(std::string_view word, std::string_view what) const {
    if (word.empty()) fail(what, "is missing: the file ends", "is it whole?");
    const std::string_view digits = word.front() == '+' ? word.substr(1) : word;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // Too small for a double is zero; too large is none. from_chars says neither which, nor a value.
    const bool tiny = error == std::errc::result_out_of_range &&
                      (digits.find("e-") != digits.npos || digits.find("E-") != digits.npos);
    if ((error != std::errc() && !tiny) || end != digits.data() + digits.size() || !(std::abs(value) < 1e30))
      fail(what, "is " + shown(word), "expected a number");
    return value;
  }

  void expect(std::string_view word, std::string_view where) {
    const std::string_view found = next();
    if (same_word(found, word)) return;
    fail(where, found.empty() ? "ends early" : "goes on with " + shown(found), "expected " + std::string(word));
  }

  [[noreturn]] void fail(std::string_view element, std::string problem, std::string remedy) const {
    throw Error({.file = file_ + ":" + std::to_string(line_),
                 .element = std::string(element),
                 .problem = std::move(problem),
                 .remedy = std::move(remedy)});
  }

  std::size_t left() const { return text_.size() - at_; }

 private:
  static bool is_brace(char c) { return c == '{' || c == '}'; }
  void skip(bool lines) {
    for (; at_ < text_.size() && (is_blank(text_[at_]) || (lines && text_[at_] == '\n')); ++at_)
      if (text_[at_] == '\n') ++line_;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

class BvhReader {
 public:
  BvhReader(std::string_view text, const std::string& file) : words_(text, file) {
    motion_.name = std::filesystem::path(file).stem().string();
  }

  BvhMotion read() {
    words_.expect("HIERARCHY", "the file");
    if (!same_word(words_.peek(), "ROOT"))
      words_.fail("the hierarchy", "begins with " + shown(words_.peek()), "expected ROOT");
    while (same_word(words_.peek(), "ROOT")) {
      words_.next();
      read_tree();
    }
    make_names_unique();
    read_motion();
    return std::move(motion_);
  }

 private:
  static std::string label(const BvhJoint& joint) {
    return (joint.end_site ? "end site " : "joint ") + ("\"" + joint.name + "\"");
  }

  /// A root and all below it. `open` holds the joints whose braces are not closed yet.
  void read_tree() {
    std::vector<int> open = {begin_joint(-1)};
    while (!open.empty()) {
      const BvhJoint& joint = motion_.joints[open.back()];
      const std::string_view word = words_.next();
      if (word == "}") {
        open.pop_back();
      } else if (same_word(word, "JOINT") && !joint.end_site) {
        open.push_back(begin_joint(open.back()));
      } else if (same_word(word, "End") && !joint.end_site) {
        words_.expect("Site", label(joint));
        open.push_back(begin_end_site(open.back()));
      } else {
        words_.fail(label(joint), word.empty() ? "is not closed: the file ends" : "goes on with " + shown(word),
                    joint.end_site ? "expected }" : "expected JOINT, End Site or }");
      }
      if (static_cast<int>(open.size()) > kBvhDeepest)
        words_.fail(label(motion_.joints.back()), "is more than " + std::to_string(kBvhDeepest) + " joints deep",
                    "check the braces");
    }
  }

  int add(BvhJoint joint) {
    if (static_cast<int>(motion_.joints.size()) >= kBvhMostJoints)
      words_.fail(label(joint), "is one joint too many", "at most " + std::to_string(kBvhMostJoints) + " are read");
    motion_.joints.push_back(std::move(joint));
    return static_cast<int>(motion_.joints.size()) - 1;
  }

  int begin_joint(int parent) {
    BvhJoint joint{.name = readable_name(words_.rest_of_line()), .parent = parent};
    if (joint.name.empty()) joint.name = "joint" + std::to_string(motion_.joints.size());
    words_.expect("{", label(joint));
    words_.expect("OFFSET", label(joint));
    read_offset(joint);
    words_.expect("CHANNELS", label(joint));
    read_channels(joint);
    return add(std::move(joint));
  }

  int begin_end_site(int parent) {
    words_.rest_of_line();  // some programs name it
    BvhJoint site{.name = motion_.joints[parent].name + "_end", .parent = parent, .end_site = true};
    words_.expect("{", label(site));
    words_.expect("OFFSET", label(site));
    read_offset(site);
    return add(std::move(site));
  }

  void read_offset(BvhJoint& joint) {
    for (int k = 0; k < 3; ++k) joint.offset[k] = words_.number("OFFSET of " + label(joint));
  }

  void read_channels(BvhJoint& joint) {
    const double count = words_.number("number of channels of " + label(joint));
    if (count != 3 && count != 6) {
      char text[32];
      const std::string shown_count(text, std::to_chars(text, text + sizeof text, count).ptr);
      words_.fail(label(joint), "has " + shown_count + " channels", "expected 3 or 6");
    }
    int positions = 0;
    for (int k = 0; k < count; ++k) {
      const std::string_view word = words_.next();
      const auto known = std::find_if(kBvhChannelNames.begin(), kBvhChannelNames.end(),
                                      [&](std::string_view name) { return same_word(name, word); });
      if (known == kBvhChannelNames.end())
        words_.fail(label(joint), "has a channel " + shown(word), "expected Xposition .. Zrotation");
      const auto channel = static_cast<BvhChannel>(known - kBvhChannelNames.begin());
      if (std::find(joint.channels.begin(), joint.channels.end(), channel) != joint.channels.end())
        words_.fail(label(joint), "has the channel " + std::string(*known) + " twice", "expected each once");
      joint.channels.push_back(channel);
      positions += channel <= BvhChannel::z_position;
    }
    if (count == 3 && positions != 0 && positions != 3)
      words_.fail(label(joint), "mixes positions and rotations in 3 channels", "expected three of one kind, or 6");
    channels_ += static_cast<std::size_t>(count);
  }

  void make_names_unique() {
    std::vector<std::string> names;
    for (const BvhJoint& joint : motion_.joints) names.push_back(joint.name);
    names = unique_names(std::move(names));
    for (std::size_t j = 0; j < names.size(); ++j) motion_.joints[j].name = std::move(names[j]);
  }

  /// `Frames: 12` and `Frames:12`.
  std::string_view after_colon(std::string_view keyword) {
    std::string_view line = words_.rest_of_line();
    const std::size_t colon = line.find(':');
    std::string_view head = line.substr(0, std::min(colon, line.size()));
    while (!head.empty() && is_blank(head.back())) head.remove_suffix(1);
    if (colon == std::string_view::npos || !same_word(head, keyword))
      words_.fail("MOTION", "goes on with " + shown(line), "expected " + std::string(keyword) + ":");
    line.remove_prefix(colon + 1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    return line;
  }

  void read_motion() {
    words_.expect("MOTION", "the file");
    words_.to_line();
    const double promised = words_.number_of(after_colon("Frames"), "number of frames");
    if (promised < 0 || promised != std::floor(promised) || promised > 1e8)
      words_.fail("number of frames", "is " + std::to_string(promised), "expected a whole number");
    words_.to_line();
    motion_.rate = rate_of(after_colon("Frame Time"));
    const auto frames = static_cast<std::size_t>(promised);
    // Every number takes two characters at least: no more memory is reserved than the file can fill.
    if (channels_ > 0 && frames > words_.left() / 2 / channels_ + 1)
      words_.fail("MOTION", "promises " + std::to_string(frames) + " frames", "there is not as much in the file");
    motion_.frames.resize(static_cast<Eigen::Index>(channels_), static_cast<Eigen::Index>(frames));
    for (std::size_t k = 0; k < frames; ++k) read_frame(k, frames);
    std::string_view line;
    if (words_.next_line(line))
      words_.fail("MOTION", "has more lines than the " + std::to_string(frames) + " frames it promises",
                  "correct Frames:, or remove them");
  }

  void read_frame(std::size_t k, std::size_t frames) {
    std::string_view line;
    if (!words_.next_line(line))
      words_.fail("MOTION", "ends after " + std::to_string(k) + " of " + std::to_string(frames) + " frames",
                  "is the file whole?");
    const std::string what = "frame " + std::to_string(k + 1);
    std::size_t count = 0;
    for (std::size_t at = 0;;) {
      while (at < line.size() && is_blank(line[at])) ++at;
      if (at == line.size()) break;
      std::size_t end = at;
      while (end < line.size() && !is_blank(line[end])) ++end;
      if (count < channels_)
        motion_.frames(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(k)) =
            words_.number_of(line.substr(at, end - at), "a number of " + what);
      ++count;
      at = end;
    }
    if (count != channels_)
      words_.fail(what, "has " + std::to_string(count) + " numbers",
                  "expected " + std::to_string(channels_) + ", one per channel");
  }

  /// A frame time is rounded or cut to the digits that are written: a whole rate (or one of film's, 30000/1001 ..)
  /// within one unit of the last digit is what was meant.
  double rate_of(std::string_view text) const {
    const double time = words_.number_of(text, "Frame Time");
    if (!(time >= 1e-5 && time <= 1e4)) words_.fail("Frame Time", "is " + shown(text), "expected seconds above zero");
    const std::size_t point = text.find('.');
    const bool plain = text.find_first_of("eE") == std::string_view::npos && point != std::string_view::npos;
    const double last_digit = plain ? std::pow(10, -static_cast<double>(text.size() - point - 1)) : 1e-12 * time;
    const double rate = 1 / time;
    for (const double candidate : {std::round(rate), std::round(rate) * 1000 / 1001})
      if (candidate > 0 && std::abs(1 / candidate - time) < std::min(last_digit * 1.001, 0.01 * time)) return candidate;
    return rate;
  }

  Words words_;
  BvhMotion motion_;
  std::size_t channels_ = 0;
};

}  // namespace

BvhMotion read_bvh(std::span<const std::byte> bytes, const std::string& name) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  return BvhReader(text, name).read();
}

BvhMotion read_bvh(const std::filesystem::path& path) { return read_bvh(read_file(path), path.string()); }

}  // namespace rigspace
