// A rig in a process of its own, for bench rsp: answers what docs/process-rigs.md asks, on standard streams.

#include "rsp_scenes.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace rigspace::bench {
namespace {

struct Header {
  std::array<char, 4> magic;
  std::uint32_t what;
  std::uint64_t number, count;
};
static_assert(sizeof(Header) == 24);

bool read(void* to, std::size_t size) { return std::fread(to, 1, size, stdin) == size; }
bool write(const void* from, std::size_t size) { return std::fwrite(from, 1, size, stdout) == size; }

bool introduce(const Rig& rig) {
  nlohmann::ordered_json hello{{"rigspace", 1}, {"name", "shapes"}, {"points", rig.point_count()}, {"noise", 0}};
  hello["controls"] = nlohmann::ordered_json::array();
  for (const Control& control : rig.controls()) hello["controls"].push_back({{"name", control.name}});
  const std::string line = hello.dump() + "\n";
  return write(line.data(), line.size()) && std::fflush(stdout) == 0;
}

}  // namespace

int host_blend_shapes() {
  const RspSetup setup = prepare_blend_shapes(0);
  const Rig& rig = *setup.body.rig;
  const auto workspace = rig.make_workspace();
  if (!introduce(rig)) return 1;
  Mat P, S;
  for (Header header; read(&header, sizeof header);) {
    if (std::memcmp(header.magic.data(), "RIGQ", 4) != 0 || header.what != 1) return 1;
    P.resize(static_cast<Eigen::Index>(rig.controls().size()), static_cast<Eigen::Index>(header.count));
    if (!read(P.data(), static_cast<std::size_t>(P.size()) * sizeof(double))) return 1;
    rig.evaluate_batch(*workspace, P, S);
    header.magic = {'R', 'I', 'G', 'A'};
    header.count = static_cast<std::uint64_t>(S.size());
    if (!write(&header, sizeof header) || !write(S.data(), static_cast<std::size_t>(S.size()) * sizeof(double)) ||
        std::fflush(stdout) != 0)
      return 1;
  }
  return 0;
}

}  // namespace rigspace::bench
