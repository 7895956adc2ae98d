#include "rigspace/cast/cast.h"

#include "members.h"
#include "rigspace/base/error.h"

#include <array>
#include <string>

namespace rigspace {
namespace {

struct Entry {
  CastMember member;
  Character (*make)();
};

constexpr std::array kEntries{
    Entry{{"bobbin", "a plump little dragon with a round belly, floppy ears and a tail; walks, hops and idles"},
          make_bobbin},
};

constexpr auto kMembers = [] {
  std::array<CastMember, kEntries.size()> members{};
  for (std::size_t k = 0; k < members.size(); ++k) members[k] = kEntries[k].member;
  return members;
}();

}  // namespace

std::span<const CastMember> cast() { return kMembers; }

Character make_character(std::string_view name) {
  std::string names;
  for (const Entry& entry : kEntries) {
    if (entry.member.name == name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.member.name);
  }
  throw Error({.code = ErrorCode::usage,
               .element = "character \"" + std::string(name) + "\"",
               .value = std::string(name),
               .problem = "is not in the cast",
               .remedy = "choose from: " + names});
}

}  // namespace rigspace
