#include "rigspace/base/error.h"

#include <utility>

namespace rigspace {
namespace {

std::string sentence(const ErrorInfo& info) {
  std::string text;
  if (!info.file.empty()) text += info.file + ": ";
  if (!info.element.empty()) text += info.element + " ";
  text += info.problem;
  if (!info.remedy.empty()) text += "; " + info.remedy;
  return text;
}

}  // namespace

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::internal: return "internal";
    case ErrorCode::usage: return "usage";
    case ErrorCode::bad_input: return "bad_input";
    case ErrorCode::not_converged: return "not_converged";
    case ErrorCode::external_process: return "external_process";
    case ErrorCode::cancelled: return "cancelled";
  }
  return "internal";
}

Error::Error(ErrorInfo info) : std::runtime_error(sentence(info)), info_(std::move(info)) {}

Error Error::in_file(std::string file) const {
  ErrorInfo info = info_;
  info.file = std::move(file);
  return Error(std::move(info));
}

}  // namespace rigspace
