#pragma once
// Private to ImpulseContact: the step under way.

#include "rigspace/energy/impulse_contact.h"
#include "rigspace/geometry/closest_point.h"

#include <vector>

namespace rigspace {

struct ImpulseContact::Data {
  /// A pair that must end at least `gap` apart along its normal.
  struct Touch {
    CollisionPair pair;
    Vec4 weights;
    Vec3 normal;
    double start = 0;              // m: n . sum_k w_k x_k at the start
    double gap = 0;                // m
    double mobility = 0;           // 1/kg: sum_k w_k^2 / m_k
    double push = 0;               // kg m: l so far
    Vec3 friction = Vec3::Zero();  // kg m: f so far
    bool active = true;
  };
  struct Meeting {
    int pair = 0;     // into pairs
    double time = 0;  // 0 to 1: safe up to there
  };

  Data(const TriMesh& surface, const TriMesh& obstacle, const ImpulseOptions& options);

  // The stages, from (x_from, body_from) to (x, body_to).
  bool impulses();
  bool zones();
  bool cut();
  void release();

  void find_pairs();
  void renew_pairs();
  void add_near();
  void add_meeting(const Meeting&);
  void add(const CollisionPair&, const PairDistance&, const PairPoints& at_start, double distance_at_start);
  double sweep();
  void find_meetings(bool all);
  void carry(int point);
  void start_zones();
  bool grow_zones(bool at_obstacle);
  void move_zones();
  void move_rigidly(std::span<const int> points, bool turn);

  bool of_surface(int i) const { return i < n; }
  bool own(const CollisionPair& p) const { return p.points[0] < n && p.points[2] < n && p.points[3] < n; }
  Vec3 from_of(int i) const { return i < n ? Vec3(point(x_from, i)) : Vec3(point(body_from, i - n)); }
  Vec3 moved_by(int i) const {
    return i < n ? Vec3(point(x, i) - point(x_from, i)) : Vec3(point(body_to, i - n) - point(body_from, i - n));
  }
  PairPoints start_of(const CollisionPair&) const;
  PairPoints motion_of(const CollisionPair&) const;
  double level_of(const CollisionPair&) const;  // d of a pair, m
  double safe_time(const CollisionPair&) const;

  ImpulseOptions options;
  TriMesh rest, body;  // as made
  int n;               // points of the surface
  CollisionPairFinder finder;
  TriangleTree tree;  // of the body
  bool tree_fits = false;
  std::vector<char> absent, released;
  ImpulseReport report;

  Vec x_from, x, body_from, body_to, inverse_masses;
  Vec wanted;  // x before zones
  std::vector<CollisionPair> pairs;
  std::vector<int> touch_of;  // per pair: its touch, or -1
  std::vector<char> meets;
  std::vector<double> times;
  std::vector<Meeting> meetings;
  std::vector<Touch> touches;
  std::vector<char> changed;            // points moved since the last test
  std::vector<int> parent;              // of zones: a forest over points
  std::vector<int> members;             // points by zone
  std::vector<char> carried, straight;  // per root: moves along with the body; does not turn
  std::vector<char> counted;
};

}  // namespace rigspace
