#include "rigspace/pages/batch_page.h"

#include "page_template.h"

namespace rigspace {
namespace {

/// `"name":` and the value behind a comma, or nothing where it is empty.
std::string optional_member(std::string_view name, const std::string& text) {
  return text.empty() ? "" : "," + json_string(name) + ":" + json_string(text);
}

std::string optional_member(std::string_view name, const std::optional<double>& value) {
  return value ? "," + json_string(name) + ":" + json_number(*value) : "";
}

std::string to_json(const BatchPart& part) {
  return "{\"name\":" + json_string(part.name) + ",\"preset\":" + json_string(part.preset) +
         optional_member("reason", part.reason) + "}";
}

std::string to_json(const BatchClip& clip) {
  return "{\"name\":" + json_string(clip.name) + ",\"loop\":" + (clip.loop ? "true" : "false") +
         optional_member("why", clip.why) + ",\"duration\":" + json_number(clip.duration) +
         optional_member("seam", clip.seam_percent) + optional_member("typical", clip.typical_percent) +
         optional_member("largest", clip.largest_percent) + ",\"problems\":" + json_list(clip.problems, json_string) +
         optional_member("seconds", clip.seconds) + "}";
}

std::string to_json(const BatchCharacter& character) {
  return "{\"name\":" + json_string(character.name) + optional_member("page", character.page) +
         ",\"parts\":" + json_list(character.parts, [](const BatchPart& part) { return to_json(part); }) +
         optional_member("remark", character.remark) +
         ",\"clips\":" + json_list(character.clips, [](const BatchClip& clip) { return to_json(clip); }) +
         ",\"warnings\":" + json_list(character.warnings, json_string) + optional_member("failure", character.failure) +
         optional_member("seconds", character.seconds) + "}";
}

}  // namespace

std::string batch_page(const BatchPage& batch) {
  const auto to_text = [](const BatchCharacter& character) { return to_json(character); };
  return filled_page(PageKind::batch, batch.title,
                     "{\"title\":" + json_string(batch.title) + ",\"characters\":" +
                         json_list(batch.characters, to_text) + optional_member("seconds", batch.seconds) + "}");
}

}  // namespace rigspace
