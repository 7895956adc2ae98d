// How bodies are solved for, by name.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/named_choices.h"

#include <array>

namespace rigspace {
namespace {

constexpr std::array kMethods{Named{Method::fast, "fast"}, Named{Method::full, "full"}};

}  // namespace

std::string_view name(Method method) { return name_in(kMethods, method); }
Method method_named(std::string_view text) { return find_in(kMethods, text, "method"); }

}  // namespace rigspace
