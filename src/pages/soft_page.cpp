#include "rigspace/pages/soft_page.h"

#include "page_template.h"
#include "rigspace/base/error.h"

namespace rigspace {
namespace {

std::string to_json(const SoftPageCurve& curve) {
  return "{\"name\":" + json_string(curve.name) +
         ",\"percent\":" + json_list(curve.percent, [](double value) { return std::to_string(value); }) + "}";
}

std::string to_json(const SoftPageAmount& amount) {
  std::string json = "{\"part\":" + json_string(amount.part) + ",\"amount\":" + json_number(amount.amount);
  if (!amount.key_times.empty()) {
    json += ",\"keys\":[";
    for (std::size_t k = 0; k < amount.key_times.size(); ++k)
      json += (k > 0 ? ",[" : "[") + json_number(amount.key_times[k]) + "," + json_number(amount.key_values[k]) + "]";
    json += "]";
    if (!amount.interpolation.empty()) json += ",\"interpolation\":" + json_string(amount.interpolation);
  }
  return json + (amount.clip_only ? ",\"clipOnly\":true}" : "}");
}

std::string to_json(const SoftPagePart& part) {
  const std::string curves =
      part.curves.empty()
          ? ""
          : ",\"curves\":" + json_list(part.curves, [](const SoftPageCurve& curve) { return to_json(curve); });
  return "{\"name\":" + json_string(part.name) + ",\"preset\":" + json_string(part.preset) +
         ",\"nodes\":" + json_list(part.nodes, json_string) + ",\"morphs\":" + json_list(part.morphs, json_string) +
         (part.more_morphs.empty() ? "" : ",\"moreMorphs\":" + json_list(part.more_morphs, json_string)) +
         ",\"summary\":" + json_string(part.summary) + curves +
         (part.amounts.empty()
              ? ""
              : ",\"amounts\":" +
                    json_list(part.amounts, [](const SoftPageAmount& amount) { return to_json(amount); })) +
         "}";
}

std::string to_json(const SoftPair& pair) {
  return "{\"base\":" + json_string(pair.base) + ",\"soft\":" + json_string(pair.soft) +
         ",\"loop\":" + (pair.loop ? "true" : "false") + (pair.why.empty() ? "" : ",\"why\":" + json_string(pair.why)) +
         (pair.period > 0 ? ",\"period\":" + json_number(pair.period) : "") +
         (pair.gap ? ",\"gap\":" + json_number(*pair.gap) : "") +
         (pair.largest ? ",\"largest\":{\"percent\":" + json_number(pair.largest->percent) +
                             ",\"at\":" + json_number(pair.largest->at) + "}"
                       : "") +
         ",\"parts\":" + json_list(pair.parts, [](const SoftPagePart& part) { return to_json(part); }) + "}";
}

}  // namespace

std::string soft_page(std::span<const std::byte> glb, const SoftPageOptions& options) {
  if (options.pairs.empty())
    throw Error({.element = "the page", .problem = "has no two clips to compare", .remedy = "give a pair of clips"});
  const std::string labels = options.base_label == "before" && options.soft_label == "after"
                                 ? ""
                                 : ",\"labels\":{\"before\":" + json_string(options.base_label) +
                                       ",\"after\":" + json_string(options.soft_label) + "}";
  const std::string json = "{\"title\":" + json_string(options.title) + ",\"pairs\":" +
                           json_list(options.pairs, [](const SoftPair& pair) { return to_json(pair); }) +
                           ",\"notes\":" + json_list(options.notes, json_string) + labels +
                           (options.rerun.empty() ? "" : ",\"rerun\":" + json_string(options.rerun)) + "}";
  return filled_page(PageKind::soft, options.title, json, glb);
}

}  // namespace rigspace
