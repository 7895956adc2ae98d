#include "batch_record.h"

#include "rigspace/base/files.h"

#include <nlohmann/json.hpp>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

template <class Owner>
struct Named {
  const char* name;
  double Owner::*value;
};
constexpr Named<ClipCheck> kNumbers[] = {{"duration_s", &ClipCheck::duration},
                                         {"typical", &ClipCheck::typical},
                                         {"largest", &ClipCheck::largest},
                                         {"feet", &ClipCheck::feet},
                                         {"seam", &ClipCheck::seam},
                                         {"step", &ClipCheck::step},
                                         {"above_12_hz", &ClipCheck::fast_share}};
struct NamedText {
  const char* name;
  std::string BatchEntry::*value;
};
constexpr NamedText kTexts[] = {{"input", &BatchEntry::input},
                                {"result", &BatchEntry::result},
                                {"page", &BatchEntry::page},
                                {"failure", &BatchEntry::failure}};
Json json_of(const BatchRecord::Row& row) {
  const BatchEntry& entry = row.entry;
  Json json{{"key", row.key}};
  for (const NamedText& each : kTexts) json[each.name] = entry.*each.value;
  json["parts"] = Json::array();
  for (const BatchPart& part : entry.parts)
    json["parts"].push_back({{"name", part.name}, {"preset", part.preset}, {"reason", part.reason}});
  json["notes"] = entry.notes;
  json["seconds"] = entry.seconds;
  json["passes"] = entry.passes();
  json["clips"] = Json::array();
  for (std::size_t k = 0; k < entry.clips.size(); ++k) {
    const ClipCheck& clip = entry.clips[k];
    Json one{{"clip", clip.clip}, {"loop", clip.loops}, {"why", k < entry.loop_rule.size() ? entry.loop_rule[k] : ""}};
    for (const auto& each : kNumbers) one[each.name] = clip.*each.value;
    one["problems"] = clip.problems;
    json["clips"].push_back(std::move(one));
  }
  return json;
}

BatchRecord::Row row_of(const Json& json) {
  BatchRecord::Row row{.key = json.at("key").get<std::string>()};
  for (const NamedText& each : kTexts) row.entry.*each.value = json.at(each.name).get<std::string>();
  for (const Json& part : json.at("parts"))
    row.entry.parts.push_back({part.at("name").get<std::string>(), part.at("preset").get<std::string>(),
                               part.at("reason").get<std::string>()});
  row.entry.notes = json.at("notes").get<std::vector<std::string>>();
  row.entry.seconds = json.at("seconds").get<double>();
  for (const Json& one : json.at("clips")) {
    ClipCheck clip{.clip = one.at("clip").get<std::string>(), .loops = one.at("loop").get<bool>()};
    for (const auto& each : kNumbers) clip.*each.value = one.at(each.name).get<double>();
    clip.problems = one.at("problems").get<std::vector<std::string>>();
    row.entry.clips.push_back(std::move(clip));
    row.entry.loop_rule.push_back(one.at("why").get<std::string>());
  }
  return row;
}

}  // namespace

const BatchEntry* BatchRecord::find(const std::string& key) const {
  for (const Row& row : entries) {
    if (row.key != key || key.empty()) continue;
    if (!row.entry.failure.empty()) return &row.entry;  // the same file fails for the same reason
    return fs::exists(row.entry.result) && (row.entry.page.empty() || fs::exists(row.entry.page)) ? &row.entry
                                                                                                  : nullptr;
  }
  return nullptr;
}

BatchRecord read_batch_record(const fs::path& file) {
  BatchRecord record;
  if (!fs::exists(file)) return record;
  try {
    const Json json = Json::parse(read_text(file));
    for (const Json& each : json.at("characters")) record.entries.push_back(row_of(each));
  } catch (const std::exception&) {
    return {};  // a damaged record is replaced
  }
  return record;
}

void write_batch_record(const fs::path& file, const BatchRecord& record) {
  Json json{{"schema", 1}, {"characters", Json::array()}};
  for (const BatchRecord::Row& row : record.entries) json["characters"].push_back(json_of(row));
  write_file(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string batch_page_of(const BatchResult& batch) {
  BatchPage page{.title = batch.page.parent_path().filename().string()};
  for (const BatchEntry& entry : batch.entries) {
    BatchCharacter shown{.name = fs::path(entry.input).filename().string(),
                         .parts = entry.parts,
                         .warnings = entry.notes,
                         .failure = entry.failure,
                         .seconds = entry.seconds};
    if (!entry.page.empty())
      shown.page = fs::absolute(entry.page).lexically_relative(fs::absolute(batch.page).parent_path()).generic_string();
    for (std::size_t k = 0; k < entry.clips.size(); ++k) {
      const ClipCheck& clip = entry.clips[k];
      shown.clips.push_back({.name = clip.clip,
                             .loop = clip.loops,
                             .why = k < entry.loop_rule.size() ? entry.loop_rule[k] : "",
                             .duration = clip.duration,
                             .seam_percent = 100 * clip.seam,
                             .typical_percent = 100 * clip.typical,
                             .largest_percent = 100 * clip.largest,
                             .problems = clip.problems});
    }
    page.characters.push_back(std::move(shown));
  }
  return batch_page(page);
}

}  // namespace rigspace
