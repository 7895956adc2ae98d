// A rig in a process of its own, for bench rsp and bench fast: speaks the protocol of docs/process-rigs.md on standard
// streams.

#include "rsp_scenes.h"

#include "rigspace/cast/cast.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

namespace rigspace::bench {
namespace {

struct Header {
  std::array<char, 4> magic;
  std::uint32_t what;
  std::uint64_t number, count;
};
static_assert(sizeof(Header) == 24);

constexpr std::uint32_t kEvaluate = 1, kEvaluateSome = 3;

bool read(void* to, std::size_t size) { return std::fread(to, 1, size, stdin) == size; }
bool write(const void* from, std::size_t size) { return std::fwrite(from, 1, size, stdout) == size; }

template <class Values>
bool read_values(Values& values) {
  return read(values.data(), static_cast<std::size_t>(values.size()) * sizeof(*values.data()));
}

nlohmann::ordered_json described(const Control& control) {
  nlohmann::ordered_json each{{"name", control.name},
                              {"node", control.node},
                              {"unit", name(control.unit)},
                              {"rest", control.rest},
                              {"typical", control.typical}};
  if (std::isfinite(control.min)) each["min"] = control.min;
  if (std::isfinite(control.max)) each["max"] = control.max;
  return each;
}

bool introduce(const Rig& rig) {
  nlohmann::ordered_json hello{
      {"rigspace", 1}, {"name", "bench"}, {"points", rig.point_count()}, {"noise", 0}, {"some_points", true}};
  hello["controls"] = nlohmann::ordered_json::array();
  for (const Control& control : rig.controls()) hello["controls"].push_back(described(control));
  const std::string line = hello.dump() + "\n";
  return write(line.data(), line.size()) && std::fflush(stdout) == 0;
}

/// The rig restricted to the points of the last request: a simulation evaluates the same ones every time.
class Asked {
 public:
  explicit Asked(const Rig& whole) : whole_(whole) { choose({}, &whole_); }

  /// Reads the points of a question 3.
  bool read_points() {
    std::uint64_t count = 0;
    if (!read(&count, sizeof count) || count > static_cast<std::uint64_t>(whole_.point_count())) return false;
    std::vector<std::uint32_t> numbers(count);
    if (!read_values(numbers)) return false;
    std::vector<int> points(numbers.begin(), numbers.end());
    if (!some_ || points != points_) {
      some_ = whole_.restricted(points);
      choose(std::move(points), some_.get());
    }
    rig_ = some_.get();
    return true;
  }
  void evaluate(bool some, const Mat& P, Mat& S) {
    if (some) return rig_->evaluate_batch(*workspace_, P, S);
    whole_.evaluate_batch(*whole_workspace_, P, S);
  }

 private:
  void choose(std::vector<int> points, const Rig* rig) {
    points_ = std::move(points), rig_ = rig;
    workspace_ = rig_->make_workspace();
    if (!whole_workspace_) whole_workspace_ = whole_.make_workspace();
  }

  const Rig& whole_;
  const Rig* rig_ = nullptr;
  std::unique_ptr<Rig> some_;
  std::vector<int> points_;
  std::unique_ptr<Workspace> workspace_, whole_workspace_;
};

int serve(const Rig& rig, double delay) {
  if (!introduce(rig)) return 1;
  Asked asked(rig);
  Mat P, S;
  for (Header header; read(&header, sizeof header);) {
    const bool some = header.what == kEvaluateSome;
    if (std::memcmp(header.magic.data(), "RIGQ", 4) != 0 || (header.what != kEvaluate && !some)) return 1;
    if (some && !asked.read_points()) return 1;
    P.resize(static_cast<Eigen::Index>(rig.controls().size()), static_cast<Eigen::Index>(header.count));
    if (!read_values(P)) return 1;
    const auto begin = std::chrono::steady_clock::now();
    asked.evaluate(some, P, S);
    if (delay > 0)
      std::this_thread::sleep_until(begin + std::chrono::duration<double>(delay * static_cast<double>(P.cols())));
    header.magic = {'R', 'I', 'G', 'A'};
    header.count = static_cast<std::uint64_t>(S.size());
    if (!write(&header, sizeof header) || !write(S.data(), static_cast<std::size_t>(S.size()) * sizeof(double)) ||
        std::fflush(stdout) != 0)
      return 1;
  }
  return 0;
}

}  // namespace

int host_rig(const RigHost& host) {
  if (host.member == kBlendShapes) return serve(*prepare_blend_shapes(0).body.rig, host.delay);
  return serve(*make_character(host.member).rig, host.delay);
}

std::string host_command(const RigHost& host) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  return fmt::format("exec '{}' bench rsp --host {} --delay {}", self, host.member, host.delay);
}

}  // namespace rigspace::bench
