// rigspace settings: settings of a folder for every run.

#include "command.h"
#include "rigspace/jobs/folder_settings.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct SettingsArguments {
  std::string folder = ".";
  std::vector<std::string> changes;
};

/// `unit=0.01` as field and value; `set=tail.rate=2` keeps the rest as the value.
std::pair<std::string, std::string> change_in(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    refuse_usage("\"" + text + "\"", "is no FIELD=VALUE", "for example unit=0.01, never=belly or set=tail.rate=2");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void settings(const Context& context, const SettingsArguments& arguments) {
  if (!std::filesystem::exists(arguments.folder))
    refuse_file(arguments.folder, "does not exist", "name a folder, or a file whose folder is meant");
  if (!arguments.changes.empty()) {
    std::filesystem::path folder = arguments.folder;
    if (!std::filesystem::is_directory(folder)) folder = folder.parent_path();
    std::vector<std::pair<std::string, std::string>> changes;
    for (const std::string& text : arguments.changes) changes.push_back(change_in(text));
    change_folder_settings(folder, changes);
  }
  const FolderSettings known = folder_settings(arguments.folder);
  if (context.json) {
    nlohmann::ordered_json answer{{"files", nlohmann::ordered_json::array()},
                                  {"unit", known.unit},
                                  {"amount", known.amount},
                                  {"protect", known.protect},
                                  {"never", known.never},
                                  {"set", nlohmann::ordered_json::object()},
                                  {"loop", known.loop},
                                  {"once", known.once}};
    for (const auto& file : known.files) answer["files"].push_back(file.string());
    for (const auto& [name, value] : known.set) answer["set"][name] = value;
    fmt::print("{}\n", answer.dump(2));
  } else if (known.any()) {
    fmt::print("{}\n", known.in_words());
    for (std::size_t k = 1; k < known.files.size(); ++k) fmt::print("and {}\n", known.files[k].string());
  } else {
    fmt::print("no {} in {} or above it; add one: rigspace settings {} unit=0.01\n", kSettingsFile, arguments.folder,
               shell_quoted(arguments.folder));
  }
}

}  // namespace

void add_settings(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("settings", "What a folder asks of every run: unit, parts that never move, amounts");
  auto arguments = std::make_shared<SettingsArguments>();
  command->add_option("FOLDER", arguments->folder, "a folder, or a file in it; this one by default");
  command->add_option("CHANGES", arguments->changes, "FIELD=VALUE: unit, amount, protect, never, set, loop, once");
  command->footer(
      "Kept in rigspace.settings.json, which every command reads for files of the folder and below it. Options of a\n"
      "command go before it; $RIGSPACE_SETTINGS names a file for all folders. FIELD= removes a field.\n"
      "Examples\n"
      "  rigspace settings characters unit=0.01        centimetres\n"
      "  rigspace settings characters never=belly protect='armour*' amount=0.7\n"
      "  rigspace settings characters set=tail.rate=2 once='Wave*'\n"
      "  rigspace settings characters                  what holds there, and which file says so");
  command->callback([arguments, &context] { settings(context, *arguments); });
}

}  // namespace rigspace::tools
