#include "rigspace/render/soft_page.h"

#include "page_template.h"
#include "rigspace/base/error.h"

namespace rigspace {
namespace {

template <typename Items, typename Write>
std::string json_list(const Items& items, Write write) {
  std::string json = "[";
  for (const auto& item : items) json += (json.size() > 1 ? "," : "") + write(item);
  return json + "]";
}

std::string to_json(const SoftPagePart& part) {
  return "{\"name\":" + json_string(part.name) + ",\"preset\":" + json_string(part.preset) +
         ",\"nodes\":" + json_list(part.nodes, json_string) + ",\"morphs\":" + json_list(part.morphs, json_string) +
         ",\"summary\":" + json_string(part.summary) + "}";
}

std::string to_json(const SoftPair& pair) {
  return "{\"base\":" + json_string(pair.base) + ",\"soft\":" + json_string(pair.soft) +
         ",\"loop\":" + (pair.loop ? "true" : "false") +
         ",\"parts\":" + json_list(pair.parts, [](const SoftPagePart& part) { return to_json(part); }) + "}";
}

}  // namespace

std::string soft_page(std::span<const std::byte> glb, const SoftPageOptions& options) {
  if (options.pairs.empty())
    throw Error({.element = "the page", .problem = "has no two clips to compare", .remedy = "give a pair of clips"});
  const std::string json = "{\"title\":" + json_string(options.title) + ",\"pairs\":" +
                           json_list(options.pairs, [](const SoftPair& pair) { return to_json(pair); }) +
                           ",\"notes\":" + json_list(options.notes, json_string) + "}";
  return filled_page(PageKind::soft, options.title, json, glb);
}

}  // namespace rigspace
