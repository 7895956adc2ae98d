#include "rigspace/apps/physics/choices.h"

#include "rigspace/base/error.h"

#include <array>
#include <string>

namespace rigspace {
namespace {

template <class Kind>
struct Named {
  Kind kind;
  std::string_view name;
};

constexpr std::array kMethods{Named{Method::fast, "fast"}, Named{Method::full, "full"}};
constexpr std::array kInteriors{Named{Interior::dynamic, "dynamic"}, Named{Interior::still, "still"},
                                Named{Interior::carried, "carried"}};
constexpr std::array kCurvatures{Named{RigCurvature::none, "gauss-newton"}, Named{RigCurvature::learned, "learned"},
                                 Named{RigCurvature::bfgs, "bfgs"}, Named{RigCurvature::exact, "newton"}};

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

}  // namespace

std::string_view name(Method method) { return name_in(kMethods, method); }
std::string_view name(Interior interior) { return name_in(kInteriors, interior); }
std::string_view name(RigCurvature curvature) { return name_in(kCurvatures, curvature); }
Method method_named(std::string_view text) { return find_in(kMethods, text, "method"); }
Interior interior_named(std::string_view text) { return find_in(kInteriors, text, "interior"); }
RigCurvature rig_curvature_named(std::string_view text) { return find_in(kCurvatures, text, "solver"); }

}  // namespace rigspace
