#include "drive_meter.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kRemembered = 2;  // s

}  // namespace

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

RecentPeak::RecentPeak(double step)
    : ring_(static_cast<std::size_t>(std::max(2.0, std::round(kRemembered / step))), 0.0), sorted_(ring_) {}

void RecentPeak::add(double value) {
  newest_ = (newest_ + 1) % ring_.size();
  const auto gone = std::lower_bound(sorted_.begin(), sorted_.end(), ring_[newest_]);
  const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), value);
  if (place > gone) {
    std::move(gone + 1, place, gone);
    *(place - 1) = value;
  } else {
    std::move_backward(place, gone, gone + 1);
    *place = value;
  }
  ring_[newest_] = value;
}

double RecentPeak::value() const {
  return sorted_[static_cast<std::size_t>(0.95 * static_cast<double>(sorted_.size() - 1))];
}

void RecentPeak::clear() {
  std::fill(ring_.begin(), ring_.end(), 0.0);
  std::fill(sorted_.begin(), sorted_.end(), 0.0);
  newest_ = 0;
}

DriveMeter::DriveMeter(double rate, double settle, double step) : h_(step), swings_(step), accelerations_(step) {
  retune(rate, settle);
}

void DriveMeter::retune(double rate, double settle) {
  omega_ = 2 * std::numbers::pi * rate, damping_ = 6 / std::max(1e-3, settle);
}

void DriveMeter::add(const Vec3& acceleration) {
  v_ = (v_ + h_ * (acceleration - omega_ * omega_ * y_)) / (1 + h_ * damping_ + h_ * h_ * omega_ * omega_);
  y_ += h_ * v_;
  swings_.add(y_.norm());
  accelerations_.add(acceleration.norm());
}

void DriveMeter::clear() {
  y_.setZero(), v_.setZero();
  swings_.clear(), accelerations_.clear();
}

double felt_share(double too_much) { return 1 / std::max(1.0, too_much); }

}  // namespace rigspace
