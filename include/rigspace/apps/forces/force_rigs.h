#pragma once
// Rigs: what an animator's control does to the flesh, as forces (PBR 4.1, 14 to 16, 21).

#include "rigspace/apps/forces/force_template.h"
#include "rigspace/apps/forces/template_guide.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rigspace {

/// One template on one guide; parameters are those of the template, then those of the guide.
struct TemplateForce {
  ForceTemplate kind = ForceTemplate::bump;
  TemplateGuide guide;

  std::vector<std::string_view> parameter_names() const;
  int parameter_count() const;
};

/// Generalised forces (6):  Q_i = integral of f(X; g) phi_i(X), flattened, in the frames of the rest pose.
void add_generalised_force(const ForceBody& body, const TemplateForce& force, In g, double factor, Vec& Q);
/// The same with  dQ/dg^T v  for a field v on the vertices, added to g_g.
void add_generalised_force_gradient(const ForceBody& body, const TemplateForce& force, In g, In v, Vec& g_g);

/// A control and the forces that it makes: between samples its parameters (of templates) or forces (of surfaces) change
/// linearly, beyond them they stay (16).
struct ForceRigPart {
  struct Sample {
    double at;  ///< of the control: radians where that is an angle
    Vec value;  ///< template parameters, or Q of all vertices of the lattice
  };
  std::string name;
  std::string control;               ///< of the character, or one of its own, from 0 to 1
  std::vector<TemplateForce> force;  ///< one; empty for generalised forces
  std::vector<Sample> samples;       ///< ascending, at least one
  std::vector<int> splits = {};      ///< cells that its forces need split, in order (AdaptiveBody); on a ForceRig: none

  bool is_template() const { return !force.empty(); }
  /// s_a(c), and its derivative.
  void sample(double c, Vec& value, Vec& slope) const;
};

/// Throws Error for samples that do not ascend, of the wrong size or not valid. `what` begins the sentence.
void check_rig_part(const ForceBody& body, const ForceRigPart& part);

/// Q of one rig at its control, added.
void add_rig_force(const ForceBody& body, const ForceRigPart& part, double c, Vec& Q);
/// dQ/dc, added.
void add_rig_force_slope(const ForceBody& body, const ForceRigPart& part, double c, Vec& dQ);

}  // namespace rigspace
