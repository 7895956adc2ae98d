#include "fast_methods.h"

namespace rigspace::bench {
namespace {

constexpr double kKeepFactor = 0.3;  // see NewtonOptions

void as_in_2012(RspSetup& setup, const FastTraining&) {
  setup.body.rig = as_black_box(setup.body.rig);
  setup.options.curvature = RigCurvature::bfgs;
}
void full_newton(RspSetup&, const FastTraining&) {}
void full_kept(RspSetup& setup, const FastTraining&) { setup.options.keep_factor = kKeepFactor; }
void full_tight(RspSetup& setup, const FastTraining& trained) {
  full_kept(setup, trained);
  setup.options.gradient_tolerance = 1e-9;
}
void full_curved(RspSetup& setup, const FastTraining&) { setup.options.curvature = RigCurvature::exact; }

void linear(RspSetup& setup) { setup.options.linear = true, setup.options.jacobian.use = JacobianUse::every_step; }
void defer(RspSetup& setup, bool predict) {
  setup.options.jacobian.use = JacobianUse::deferred, setup.options.jacobian.predict = predict;
}
void static_interior(RspSetup& setup, const FastTraining&) {
  linear(setup);
  setup.options.interior = Interior::still;
  setup.options.keep_factor = kKeepFactor;
}
void static_deferred(RspSetup& setup, const FastTraining& trained) {
  static_interior(setup, trained), defer(setup, true);
}
void skinned(RspSetup& setup, const FastTraining& trained) {
  linear(setup);
  setup.body = trained.weights_only;
  setup.options.keep_factor = kKeepFactor;
}
void skinned_deferred(RspSetup& setup, const FastTraining& trained) { skinned(setup, trained), defer(setup, true); }
void response_deferred(RspSetup& setup, const FastTraining& trained) {
  skinned_deferred(setup, trained);
  setup.body = trained.skinned;
}
void cubature(RspSetup& setup, const FastTraining& trained) {
  skinned_deferred(setup, trained);
  setup.body = trained.sampled;
}
void cubature_unpredicted(RspSetup& setup, const FastTraining& trained) {
  cubature(setup, trained), defer(setup, false);
}
void cubature_black_box(RspSetup& setup, const FastTraining& trained) {
  cubature(setup, trained);
  setup.body.rig = as_black_box(setup.body.rig);
  setup.options.jacobian.broyden = true;
}

constexpr FastMethod kMethods[] = {
    {.name = "full Newton, factors reused", .thesis = -1, .apply = full_kept, .quick = true, .reference = true},
    {.name = "full Newton, a factor for every iteration",
     .thesis = -1,
     .apply = full_newton,
     .slow = true,
     .reference = true},
    {.name = "full Newton, a thousandth of the residual", .thesis = -1, .apply = full_tight, .slow = true},
    {.name = "full Newton, second derivatives of the rig by differences",
     .thesis = -1,
     .apply = full_curved,
     .slow = true},
    {.name = "2012: black box, BFGS", .thesis = 0, .apply = as_in_2012, .quick = true, .slow = true},
    {.name = "static interior, Jacobian every step", .thesis = 1, .apply = static_interior, .slow = true},
    {.name = "static interior, deferred Jacobian", .thesis = 2, .apply = static_deferred, .slow = true},
    {.name = "skinned interior, Jacobian every step", .thesis = 3, .apply = skinned},
    {.name = "skinned interior, deferred Jacobian", .thesis = 4, .apply = skinned_deferred, .quick = true},
    {.name = "skinned interior and its response, deferred Jacobian", .thesis = -1, .apply = response_deferred},
    {.name = "as it ships: the same with few elements", .thesis = -1, .apply = cubature, .quick = true, .fast = true},
    {.name = "few elements, no predictor of Jacobians", .thesis = -1, .apply = cubature_unpredicted},
    {.name = "few elements, rig a black box", .thesis = -1, .apply = cubature_black_box},
};

}  // namespace

std::span<const FastMethod> fast_methods() { return kMethods; }

void apply_cubature(RspSetup& setup, const FastTraining& trained) { cubature(setup, trained); }
void apply_full(RspSetup& setup) { setup.options.keep_factor = kKeepFactor; }

}  // namespace rigspace::bench
