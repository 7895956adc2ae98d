#pragma once
// Enumerations by the words that options and files spell them with: a table of `Named`, searched both ways.

#include "rigspace/base/error.h"

#include <string>
#include <string_view>

namespace rigspace {

template <class Kind>
struct Named {
  Kind kind;
  std::string_view name;
};

template <class List, class Kind>
std::string_view name_in(const List& list, Kind kind) {
  for (const auto& each : list)
    if (each.kind == kind) return each.name;
  return "";
}

template <class List>
auto find_in(const List& list, std::string_view name, const char* what) {
  std::string names;
  for (const auto& each : list) {
    if (each.name == name) return each.kind;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  throw Error({.code = ErrorCode::usage,
               .element = std::string(what) + " \"" + std::string(name) + "\"",
               .value = std::string(name),
               .problem = "is not known",
               .remedy = "choose one of " + names});
}

}  // namespace rigspace
