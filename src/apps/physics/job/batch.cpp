#include "rigspace/apps/physics/batch.h"

#include "batch_record.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/jobs/content.h"
#include "rigspace/jobs/folder_settings.h"
#include "rigspace/jobs/output_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

/// A character that an artist made: not what a run wrote, and not motion alone.
bool is_input(const fs::path& file) {
  const std::string name = file.filename().string();
  return rigspace::is_character_file(file) && file.extension() != ".bvh" && name.find(".soft.") == std::string::npos;
}

std::vector<fs::path> characters_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (auto each = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied);
       each != fs::recursive_directory_iterator(); ++each) {
    const std::string name = each->path().filename().string();
    if (each->is_directory() && (name.starts_with(".") || name.ends_with(".partial"))) each.disable_recursion_pending();
    if (each->is_regular_file() && is_input(each->path())) found.push_back(each->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The folder that all files are in, or below.
fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path common = fs::absolute(files.front()).lexically_normal().parent_path();
  for (const fs::path& file : files) {
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
    while (common != common.parent_path()) {
      const fs::path relative = folder.lexically_relative(common);
      if (!relative.empty() && *relative.begin() != "..") break;
      common = common.parent_path();
    }
  }
  return common;
}

/// All options of a request, as text.
std::string request_text(const SimulationRequest& request) {
  Recipe options;
  options.options = request.recipe;
  std::string text = recipe_text(options);
  for (const auto* list : {&request.clips, &request.parts, &request.sets, &request.hits, &request.stiffness}) {
    text += "|";
    for (const std::string& each : *list) text += each + "\n";
  }
  for (const auto* word : {&request.start, &request.end, &request.preroll, &request.loop, &request.once,
                           &request.follow, &request.integrator, &request.soft, &request.chains, &request.solver})
    text += "|" + *word;
  return text + fmt::format("|{}|{}|{}", request.unit, request.step, request.curves_only);
}

/// Simulates one character, loads the written file and measures it.
void make(BatchEntry& entry, const SimulationRequest& request, const fs::path& output, const JobEvents& events) {
  const SimulationResult result = simulate_file({.character = {.file = entry.input}}, request, output, events);
  entry.result = result.files.result().string(), entry.page = result.files.page.string();
  entry.notes = result.recipe.notes;
  for (const std::string& each : result.incidents) entry.notes.push_back(each);
  for (const RecipePart& part : result.recipe.parts) entry.parts.push_back({part.name, part.preset, part.reason});
  if (result.files.model.empty() || !rigspace::is_character_file(result.files.model)) return;
  entry.clips = check_result(load_character(entry.input), load_character(result.files.model));
  for (const ClipCheck& check : entry.clips) {
    const auto made = std::find_if(result.recipe.clips.begin(), result.recipe.clips.end(),
                                   [&](const RecipeClip& clip) { return clip.base == check.clip; });
    entry.loop_rule.push_back(made == result.recipe.clips.end() ? "" : made->why);
  }
}

/// Where each result goes: its stem in the folder, with the name of its own folder before it where stems meet.
std::vector<fs::path> outputs_for(const std::vector<fs::path>& inputs, const fs::path& folder) {
  std::map<std::string, int> times;
  for (const fs::path& input : inputs) ++times[input.stem().string()];
  std::set<std::string> taken;
  std::vector<fs::path> outputs;
  for (const fs::path& input : inputs) {
    std::string stem = input.filename().string();
    stem.resize(stem.find('.', 1) == std::string::npos ? stem.size() : stem.rfind(input.extension().string()));
    if (stem.ends_with(".rig")) stem.resize(stem.size() - 4);
    if (times[input.stem().string()] > 1) stem = fs::absolute(input).parent_path().filename().string() + "_" + stem;
    std::string name = stem;
    for (int k = 2; !taken.insert(name).second; ++k) name = stem + "_" + std::to_string(k);
    const bool curves = input.string().ends_with(".rig.json") || input.extension() == ".blend";
    outputs.push_back(folder / (name + (curves ? ".soft.rigspace.json" : ".soft.glb")));
  }
  return outputs;
}

}  // namespace

bool BatchEntry::passes() const {
  return failure.empty() &&
         std::all_of(clips.begin(), clips.end(), [](const ClipCheck& clip) { return clip.problems.empty(); });
}

std::vector<fs::path> batch_inputs(const std::vector<std::string>& files_and_folders) {
  std::vector<fs::path> inputs;
  for (const std::string& name : files_and_folders) {
    if (fs::is_directory(name)) {
      const std::vector<fs::path> found = characters_in(name);
      if (found.empty())
        throw Error({.file = name,
                     .problem = "has no characters in it",
                     .remedy = "a folder is searched for " + character_endings("and")});
      inputs.insert(inputs.end(), found.begin(), found.end());
      continue;
    }
    if (!fs::exists(name)) throw Error({.file = name, .problem = "does not exist", .remedy = "check its name"});
    // A shell expands *.glb to results of earlier runs as well.
    if (files_and_folders.size() > 1 && !is_input(name) && rigspace::is_character_file(name)) continue;
    inputs.emplace_back(name);
  }
  return inputs;
}

BatchResult simulate_batch(const std::vector<fs::path>& inputs, const SimulationRequest& request,
                           const fs::path& output, const JobEvents& events) {
  if (inputs.empty()) throw Error({.problem = "no character is given", .remedy = "name files or a folder"});
  if (!output.empty()) fs::create_directories(output);
  const fs::path folder = output.empty() ? common_folder(inputs) : output;
  BatchResult batch{.page = folder / "batch.soft.html", .record = folder / "batch.soft.json"};
  const OutputLock lock(batch.record);
  const BatchRecord earlier = read_batch_record(batch.record);
  const std::vector<fs::path> outputs =
      output.empty() ? std::vector<fs::path>(inputs.size()) : outputs_for(inputs, output);
  BatchRecord record;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    BatchEntry entry{.input = inputs[k].string()};
    events.print(fmt::format("{} of {}: {}\n", k + 1, inputs.size(), entry.input));
    const JobEvents own{.progress = part_of_progress(events.progress, static_cast<double>(k) / inputs.size(),
                                                     static_cast<double>(k + 1) / inputs.size(),
                                                     inputs[k].filename().string())};
    const auto begun = std::chrono::steady_clock::now();
    std::string key;
    try {
      key = content_hash(file_hash(inputs[k]) + request_text(request) + folder_settings(inputs[k]).in_words() +
                         fs::absolute(inputs[k]).lexically_normal().string() +
                         (output.empty() ? "" : fs::absolute(outputs[k]).string()) + program_stamp());
      if (const BatchEntry* known = earlier.find(key))
        entry = *known, entry.input = inputs[k].string(), entry.kept = true;
      else
        make(entry, request, outputs[k], own);
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      entry.failure = error.what();
    }
    if (!entry.kept) entry.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    events.print(entry_in_words(entry));
    record.entries.push_back({key, entry});
    write_batch_record(batch.record, record);
    batch.entries.push_back(std::move(entry));
    write_file(batch.page, batch_page_of(batch));
  }
  return batch;
}

std::string entry_in_words(const BatchEntry& entry) {
  const std::string name = fs::path(entry.input).filename().string();
  if (!entry.failure.empty()) return fmt::format("  ! {}\n", entry.failure);
  const auto good = std::count_if(entry.clips.begin(), entry.clips.end(),
                                  [](const ClipCheck& clip) { return clip.problems.empty(); });
  const std::string when = entry.kept ? "made before" : fmt::format("{:.1f} s", entry.seconds);
  if (entry.clips.empty()) return fmt::format("  {}: left as it is, nothing moves by itself ({})\n", name, when);
  std::string parts;
  for (const BatchPart& part : entry.parts) parts += (parts.empty() ? "" : ", ") + part.name;
  std::string text = fmt::format("  {}: {} of {} clips pass; {} ({})\n", name, good, entry.clips.size(), parts, when);
  for (const ClipCheck& clip : entry.clips)
    for (const std::string& problem : clip.problems) text += fmt::format("  ! {}: {}\n", clip.clip, problem);
  return text;
}

}  // namespace rigspace
