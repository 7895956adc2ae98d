#include "rigspace/anim/key_edits.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

struct Key {
  double time = 0, value = 0, in = 0, out = 0;
};

bool same_time(double a, double b) { return std::abs(a - b) < kSameKeyTime; }

Key key(const Curve& curve, std::size_t k) {
  return {curve.times[k], curve.values[k], curve.in_tangents[k], curve.out_tangents[k]};
}

void put(Curve& curve, std::size_t k, const Key& key) {
  curve.values[k] = key.value, curve.in_tangents[k] = key.in, curve.out_tangents[k] = key.out;
}

Curve curve_of(const std::vector<Key>& keys) {
  Curve curve{.interpolation = Interpolation::hermite};
  for (const Key& each : keys) {
    curve.times.push_back(each.time), curve.values.push_back(each.value);
    curve.in_tangents.push_back(each.in), curve.out_tangents.push_back(each.out);
  }
  return curve;
}

std::vector<Key> keys_of(const Curve& curve) {
  std::vector<Key> keys;
  for (std::size_t k = 0; k < curve.times.size(); ++k) keys.push_back(key(curve, k));
  return keys;
}

/// Index of the key at this time; -1 if there is none.
int key_at(const Curve& curve, double time) {
  const auto next = std::lower_bound(curve.times.begin(), curve.times.end(), time - kSameKeyTime);
  return next != curve.times.end() && same_time(*next, time) ? static_cast<int>(next - curve.times.begin()) : -1;
}

/// Value and slopes of the curve at a time: those of the key there, if there is one.
Key sample(const Curve& curve, double time) {
  if (const int k = key_at(curve, time); k >= 0) return key(curve, static_cast<std::size_t>(k));
  const double slope = curve.slope(time);
  return {time, curve(time), slope, slope};
}

/// The same curve with keys at both ends of a stretch that is longer than itself: what it holds becomes flat cubics.
Curve extended(const Curve& curve, double from, double to) {
  std::vector<Key> keys = keys_of(curve);
  if (keys.empty()) return curve_of({{.time = from}, {.time = to}});
  if (keys.front().time > from + kSameKeyTime) {
    keys.front().in = 0;
    keys.insert(keys.begin(), {.time = from, .value = keys.front().value});
  }
  if (keys.back().time < to - kSameKeyTime) {
    keys.back().out = 0;
    keys.push_back({.time = to, .value = keys.back().value});
  }
  return curve_of(keys);
}

/// The times of both, ascending, each once.
std::vector<double> times_of_both(const Curve& a, const Curve& b) {
  std::vector<double> all;
  std::merge(a.times.begin(), a.times.end(), b.times.begin(), b.times.end(), std::back_inserter(all));
  all.erase(std::unique(all.begin(), all.end(), same_time), all.end());
  return all;
}

/// Whether the cubic from a to b goes through `middle` with its slopes.
bool meets(const Key& a, const Key& b, const Key& middle, double tolerance) {
  const double length = b.time - a.time;
  const Key there = sample(curve_of({a, b}), middle.time);
  return std::abs(there.value - middle.value) <= tolerance && std::abs(there.in - middle.in) * length <= tolerance &&
         std::abs(there.out - middle.out) * length <= tolerance;
}

bool is_zero(const Key& key) { return key.value == 0 && key.in == 0 && key.out == 0; }

/// Without those keys at either end that only hold a zero.
std::vector<Key> without_still_ends(std::vector<Key> keys) {
  while (keys.size() > 1 && is_zero(keys[0]) && is_zero(keys[1])) keys.erase(keys.begin());
  while (keys.size() > 1 && is_zero(keys.back()) && is_zero(keys[keys.size() - 2])) keys.pop_back();
  if (keys.size() == 1 && is_zero(keys[0])) keys.clear();
  return keys;
}

bool same_key(const Key& a, const Key& b) { return a.value == b.value && a.in == b.in && a.out == b.out; }

/// `edited` with its first key and the one a period later made one, see edit_of_keys.
Curve with_tied_ends(const Curve& keys, Curve edited, double period) {
  if (keys.times.empty()) return edited;
  const double first = keys.times.front(), last = first + period;
  const int a = key_at(edited, first), b = key_at(edited, last);
  if (a < 0 || b < 0) return edited;
  Key begin = key(edited, static_cast<std::size_t>(a)), end = key(edited, static_cast<std::size_t>(b));
  const bool moved_begin = !same_key(begin, sample(keys, first)), moved_end = !same_key(end, sample(keys, last));
  if (!moved_begin && !moved_end) return edited;
  // Inside the clip only the slope after the first key and the one before the last are seen.
  const double value = moved_begin ? begin.value : end.value, slope = moved_begin ? begin.out : end.in;
  put(edited, static_cast<std::size_t>(a), {.value = value, .in = slope, .out = slope});
  put(edited, static_cast<std::size_t>(b), {.value = value, .in = slope, .out = slope});
  return edited;
}

}  // namespace

Curve sum_of_keys(const Curve& a, const Curve& b, double factor) {
  const std::vector<double> times = times_of_both(a, b);
  if (times.empty()) return curve_of({});
  const Curve x = extended(a, times.front(), times.back()), y = extended(b, times.front(), times.back());
  std::vector<Key> keys;
  for (const double time : times) {
    const Key u = sample(x, time), v = sample(y, time);
    keys.push_back({time, u.value + factor * v.value, u.in + factor * v.in, u.out + factor * v.out});
  }
  return curve_of(keys);
}

Curve without_needless_keys(const Curve& curve, double tolerance) {
  std::vector<Key> kept;
  const std::vector<Key> keys = keys_of(curve);
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (k == 0 || k + 1 == keys.size() || !meets(kept.back(), keys[k + 1], keys[k], tolerance)) kept.push_back(keys[k]);
  return curve_of(kept);
}

ClosedKeys closed_keys(const Curve& curve, double first, double period, double slack) {
  if (curve.times.empty()) return {curve_of({})};
  const double last = first + period;
  Key begin = sample(curve, first);
  begin.in = begin.out, begin.time = first;
  std::vector<Key> keys{begin};
  for (const Key& each : keys_of(curve))
    if (each.time > first + kSameKeyTime && each.time < last - slack) keys.push_back(each);
  if (curve.times.front() > first + kSameKeyTime && keys.size() > 1) keys[1].in = 0;  // the curve is flat before it
  constexpr double kSeen = 1e-3;                                                      // of the largest value
  double largest = 0;
  for (const double value : curve.values) largest = std::max(largest, std::abs(value));
  const Key end = sample(curve, last);
  const double gap = std::max(std::abs(end.value - begin.value), std::abs(end.in - begin.in) * period);
  begin.time = last;
  keys.push_back(begin);
  return {curve_of(keys), gap > kSeen * largest};
}

Curve edit_of_keys(const Curve& keys, const Curve& edited, double period) {
  constexpr double kRounding = 1e-12;  // of the largest value: how far a needless key may be off
  const Curve tied = period > 0 ? with_tied_ends(keys, edited, period) : edited;
  Curve edit = sum_of_keys(tied, keys, -1);
  double largest = 0;
  for (const Curve& each : {keys, tied})
    for (const double value : each.values) largest = std::max(largest, std::abs(value));
  edit = curve_of(without_still_ends(keys_of(without_needless_keys(edit, kRounding * largest))));
  if (period <= 0 || edit.times.empty()) return edit;
  const double first = keys.times.empty() ? edit.times.front() : keys.times.front();
  ClosedKeys closed = closed_keys(edit, first, period, kSameKeyTime);
  return closed.changed ? std::move(closed.curve) : edit;
}

}  // namespace rigspace
