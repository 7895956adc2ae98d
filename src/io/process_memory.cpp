#include "process_memory.h"

namespace rigspace {
namespace {

std::string_view bytes_of(In p) {
  return {reinterpret_cast<const char*>(p.data()), static_cast<std::size_t>(p.size()) * sizeof(double)};
}

}  // namespace

const Vec* ProcessMemory::find(In p) {
  const auto place = places_.find(bytes_of(p));
  if (place == places_.end()) return nullptr;
  known_.splice(known_.begin(), known_, place->second);
  return &known_.front().s;
}

void ProcessMemory::add(In p, In s) {
  if (find(p) != nullptr) return;
  known_.push_front({std::string(bytes_of(p)), s});
  if (known_.front().bytes() > most_bytes_) return known_.pop_front();
  places_[known_.front().pose] = known_.begin();
  bytes_ += known_.front().bytes();
  while (bytes_ > most_bytes_) {
    bytes_ -= known_.back().bytes();
    places_.erase(known_.back().pose);
    known_.pop_back();
  }
}

}  // namespace rigspace
