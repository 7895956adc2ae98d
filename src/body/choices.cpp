#include "rigspace/body/choices.h"

#include "rigspace/base/named_choices.h"

#include <array>

namespace rigspace {
namespace {

constexpr std::array kInteriors{Named{Interior::dynamic, "dynamic"}, Named{Interior::still, "still"},
                                Named{Interior::carried, "carried"}};
constexpr std::array kCurvatures{Named{RigCurvature::none, "gauss-newton"}, Named{RigCurvature::learned, "learned"},
                                 Named{RigCurvature::bfgs, "bfgs"}, Named{RigCurvature::exact, "newton"}};

}  // namespace

std::string_view name(Interior interior) { return name_in(kInteriors, interior); }
std::string_view name(RigCurvature curvature) { return name_in(kCurvatures, curvature); }
Interior interior_named(std::string_view text) { return find_in(kInteriors, text, "interior"); }
RigCurvature rig_curvature_named(std::string_view text) { return find_in(kCurvatures, text, "solver"); }

}  // namespace rigspace
