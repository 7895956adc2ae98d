#pragma once
// Undo and redo over whole documents, which are small. Edits of one thing that follow each other quickly, as a slider
// that is dragged makes them, are one step.

#include <chrono>
#include <string>
#include <vector>

namespace rigspace::studio {

template <class Document>
class History {
 public:
  using Clock = std::chrono::steady_clock;

  /// To be called before the document changes: keeps the present one. `what`: shown to the user; `field`: edits with
  /// the same one, within a second of each other, are one step; empty: always a step of its own.
  void record(const Document& before, std::string what, std::string field, Clock::time_point now = Clock::now()) {
    const bool goes_on = !field.empty() && !undo_.empty() && undo_.back().field == field && now - last_ < kOneStep;
    last_ = now;
    redo_.clear();
    if (goes_on) return;
    undo_.push_back({before, std::move(what), std::move(field)});
    if (undo_.size() > kMost) undo_.erase(undo_.begin());
  }

  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }
  Document undo(const Document& now) { return move(undo_, redo_, now); }
  Document redo(const Document& now) { return move(redo_, undo_, now); }
  void clear() { undo_.clear(), redo_.clear(); }

  std::vector<std::string> undo_list() const { return names(undo_); }
  std::vector<std::string> redo_list() const { return names(redo_); }

 private:
  struct Step {
    Document document;
    std::string what, field;
  };
  static constexpr std::size_t kMost = 500;
  static constexpr std::chrono::seconds kOneStep{1};

  static Document move(std::vector<Step>& from, std::vector<Step>& to, const Document& now) {
    Step step = std::move(from.back());
    from.pop_back();
    to.push_back({now, step.what, ""});
    return std::move(step.document);
  }
  static std::vector<std::string> names(const std::vector<Step>& steps) {
    std::vector<std::string> list;
    for (const Step& step : steps) list.push_back(step.what);
    return list;
  }

  std::vector<Step> undo_, redo_;
  Clock::time_point last_ = {};
};

}  // namespace rigspace::studio
