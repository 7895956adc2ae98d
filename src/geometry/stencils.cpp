#include "stencils.h"

#include <algorithm>
#include <utility>

namespace rigspace {
namespace {

struct Place {
  int node;
  Vec3 x;
};

bool long_edge(int i, int j) { return i + j == 1 || i + j == 5; }

/// A quadrilateral between two inside corners i, j and the cuts towards an outside corner m is halved by the diagonal
/// from corner i to the cut of j if i comes before j. It is the same for both tetrahedra at the face, as it depends on
/// the face alone: parity decides along a long edge; otherwise one of the two cuts lies on a long edge, and the
/// diagonal ends there (with the other, angles of 6 degrees were seen).
bool before(const StencilInput& in, int i, int j, int m) {
  if (long_edge(i, j)) return in.even[i];
  return long_edge(j, m);
}

double smallest_dihedral(const Place& a, const Place& b, const Place& c, const Place& d) {
  const bool positive = tet_volume(a.x, b.x, c.x, d.x) > 0;
  const auto angles = positive ? dihedral_angles(a.x, b.x, c.x, d.x) : dihedral_angles(a.x, c.x, b.x, d.x);
  return *std::min_element(angles.begin(), angles.end());
}

void add(StencilOutput& out, const Place& a, const Place& b, const Place& c, const Place& d) {
  Tet tet{a.node, b.node, c.node, d.node};
  if (tet_volume(a.x, b.x, c.x, d.x) < 0) std::swap(tet[1], tet[2]);
  out.tets[out.count++] = tet;
}

/// A prism with columns bottom[k] to top[k], in the order in which their diagonals begin at the bottom.
struct Prism {
  std::array<Place, 3> bottom, top;
  std::array<int, 3> order;

  std::array<std::array<const Place*, 4>, 3> tets() const {
    const auto [i, j, k] = order;
    return {{{&bottom[i], &bottom[j], &bottom[k], &top[k]},
             {&bottom[i], &bottom[j], &top[j], &top[k]},
             {&bottom[i], &top[i], &top[j], &top[k]}}};
  }
  double smallest() const {
    double angle = 4;
    for (const auto& t : tets()) angle = std::min(angle, smallest_dihedral(*t[0], *t[1], *t[2], *t[3]));
    return angle;
  }
};

void add(StencilOutput& out, const Prism& prism) {
  for (const auto& t : prism.tets()) add(out, *t[0], *t[1], *t[2], *t[3]);
}

/// Three corners inside, one outside: a prism between the corners and their cuts.
void fill_three(const StencilInput& in, StencilOutput& out, const std::array<int, 3>& p, int m) {
  Prism prism;
  for (int k = 0; k < 3; ++k)
    prism.bottom[k] = {in.node[p[k]], in.x[p[k]]}, prism.top[k] = {in.cut[p[k]][m], in.cut_x[p[k]][m]};
  prism.order = {0, 1, 2};
  std::sort(prism.order.begin(), prism.order.end(), [&](int a, int b) { return a != b && before(in, p[a], p[b], m); });
  add(out, prism);
}

/// Two corners inside, one on the surface, one outside: a pyramid over a quadrilateral, halved.
void fill_pyramid(const StencilInput& in, StencilOutput& out, int p, int q, int zero, int m) {
  if (!before(in, p, q, m)) std::swap(p, q);
  const Place apex{in.node[zero], in.x[zero]}, at_p{in.node[p], in.x[p]}, at_q{in.node[q], in.x[q]};
  const Place cut_p{in.cut[p][m], in.cut_x[p][m]}, cut_q{in.cut[q][m], in.cut_x[q][m]};
  add(out, apex, at_p, at_q, cut_q);
  add(out, apex, at_p, cut_q, cut_p);
}

/// Two corners inside, two outside: a prism whose third quadrilateral, on the surface, may be halved either way.
void fill_wedge(const StencilInput& in, StencilOutput& out, int p, int q, int m, int n) {
  Prism prism;
  prism.bottom = {Place{in.node[p], in.x[p]}, Place{in.cut[p][m], in.cut_x[p][m]}, Place{in.cut[p][n], in.cut_x[p][n]}};
  prism.top = {Place{in.node[q], in.x[q]}, Place{in.cut[q][m], in.cut_x[q][m]}, Place{in.cut[q][n], in.cut_x[q][n]}};
  const bool before_m = before(in, p, q, m), before_n = before(in, p, q, n);  // column 0 before column 1, column 2
  if (before_m != before_n) {
    prism.order = before_m ? std::array<int, 3>{2, 0, 1} : std::array<int, 3>{1, 0, 2};
  } else {
    prism.order = before_m ? std::array<int, 3>{0, 1, 2} : std::array<int, 3>{1, 2, 0};
    Prism other = prism;
    other.order = before_m ? std::array<int, 3>{0, 2, 1} : std::array<int, 3>{2, 1, 0};
    if (other.smallest() > prism.smallest()) prism = other;
  }
  add(out, prism);
}

}  // namespace

StencilOutput fill(const StencilInput& in) {
  StencilOutput out;
  std::array<int, 4> plus, zero, minus;
  int p = 0, z = 0, m = 0;
  for (int k = 0; k < 4; ++k) {
    if (in.sign[k] > 0) plus[p++] = k;
    if (in.sign[k] == 0) zero[z++] = k;
    if (in.sign[k] < 0) minus[m++] = k;
  }
  if (p == 0) return out;
  const auto corner = [&](int k) { return Place{in.node[k], in.x[k]}; };
  if (m == 0) {
    add(out, corner(0), corner(1), corner(2), corner(3));
  } else if (p == 1) {
    std::array<Place, 4> place;
    for (int k = 0; k < 4; ++k) place[k] = in.sign[k] < 0 ? Place{in.cut[plus[0]][k], in.cut_x[plus[0]][k]} : corner(k);
    add(out, place[0], place[1], place[2], place[3]);
  } else if (p == 3) {
    fill_three(in, out, {plus[0], plus[1], plus[2]}, minus[0]);
  } else if (z == 1) {
    fill_pyramid(in, out, plus[0], plus[1], zero[0], minus[0]);
  } else {
    fill_wedge(in, out, plus[0], plus[1], minus[0], minus[1]);
  }
  return out;
}

}  // namespace rigspace
