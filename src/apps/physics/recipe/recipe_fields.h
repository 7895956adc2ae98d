#pragma once
// Private to physics: the names of the fields of a recipe's JSON objects, shared by the reader and the writer.

#include "rigspace/apps/physics/recipe.h"

#include <string_view>

namespace rigspace {

template <class Owner, class Value>
struct NamedField {
  std::string_view name;
  Value Owner::*value;
};

/// Angles of chains are in radians, as in PartReport, unlike curves of controls, which are in degrees.
inline constexpr NamedField<PartReport, double> kReportFields[] = {{"length_m", &PartReport::length},
                                                                   {"rate_hz", &PartReport::rate},
                                                                   {"settle_s", &PartReport::settle},
                                                                   {"lag_s", &PartReport::lag},
                                                                   {"amount", &PartReport::amount},
                                                                   {"swing", &PartReport::swing},
                                                                   {"largest", &PartReport::largest},
                                                                   {"largest_at_s", &PartReport::largest_at},
                                                                   {"smallest_volume", &PartReport::smallest_volume},
                                                                   {"volume_change", &PartReport::volume_change},
                                                                   {"young_pa", &PartReport::young}};

/// Fields that are left out where they are 1, as they mostly are.
inline constexpr NamedField<PartReport, double> kReportShares[] = {{"eased", &PartReport::eased},
                                                                   {"grounded", &PartReport::grounded},
                                                                   {"held", &PartReport::held},
                                                                   {"scaled", &PartReport::scaled},
                                                                   {"finished", &PartReport::finished}};

/// Fields that are left out where they are 0.
inline constexpr NamedField<PartReport, double> kReportExtras[] = {{"springs", &PartReport::springs},
                                                                   {"smoothed", &PartReport::smoothed},
                                                                   {"faded", &PartReport::faded},
                                                                   {"deepest", &PartReport::deepest},
                                                                   {"deepest_at_s", &PartReport::deepest_at},
                                                                   {"expected_error", &PartReport::expected_error},
                                                                   {"untrained", &PartReport::untrained},
                                                                   {"force_error", &PartReport::force_error},
                                                                   {"all_elements", &PartReport::all_elements}};

/// Of a recipe's `corrections`: those that are off are listed.
inline constexpr NamedField<Corrections, bool> kCorrections[] = {
    {"tune", &Corrections::tune},       {"hold", &Corrections::hold},     {"scale", &Corrections::scale},
    {"springs", &Corrections::springs}, {"smooth", &Corrections::smooth}, {"ease", &Corrections::ease},
    {"ends", &Corrections::ends},       {"jumps", &Corrections::jumps}};

inline constexpr NamedField<SimulationOptions, double> kPhysicsNumbers[] = {
    {"step", &SimulationOptions::step},       {"metres_per_unit", &SimulationOptions::metres_per_unit},
    {"young", &SimulationOptions::young},     {"poisson", &SimulationOptions::poisson},
    {"density", &SimulationOptions::density}, {"loop_tolerance", &SimulationOptions::loop_tolerance}};

inline constexpr NamedField<SimulationOptions, int> kPhysicsCounts[] = {
    {"max_cycles", &SimulationOptions::max_cycles}, {"max_halvings", &SimulationOptions::max_halvings}};

inline constexpr NamedField<RecipeClip, int> kClipCounts[] = {{"steps", &RecipeClip::steps},
                                                              {"iterations", &RecipeClip::iterations},
                                                              {"halved_steps", &RecipeClip::halved_steps},
                                                              {"failed_steps", &RecipeClip::failed_steps}};

/// Fields that are left out where they are 0.
inline constexpr NamedField<RecipeClip, int> kClipExtras[] = {{"inverted_steps", &RecipeClip::inverted_steps},
                                                              {"recovered_steps", &RecipeClip::recovered_steps},
                                                              {"jumps", &RecipeClip::jumps}};

inline constexpr std::string_view kLoopWords[] = {"auto", "yes", "no"};                      // as Looping
inline constexpr std::string_view kIntegratorWords[] = {"euler", "bdf2"};                    // as IntegratorKind
inline constexpr std::string_view kFollowWords[] = {"rest", "animation"};                    // as follow_animation
inline constexpr std::string_view kSoftWords[] = {"auto", "joints", "morphs"};               // as SoftForm
inline constexpr std::string_view kChainWords[] = {"rods", "solids", "auto"};                // as ChainForm
inline constexpr std::string_view kUnitWords[] = {"number", "file units", "deg", "factor"};  // as Unit
inline constexpr std::string_view kCurveWords[] = {"step",        "linear",  "hermite",
                                                   "catmull_rom", "natural", "bspline"};  // as Interpolation

}  // namespace rigspace
