// rigspace completion: commands and options for a shell's Tab key, from the same table that parses them.

#include "command.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

using Commands = std::vector<const CLI::App*>;

Commands commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_name().empty(); });
}

/// `--clip`, `-o`, `--output`: all spellings of all options.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
  }
  return words;
}

/// Of a command, or of `curves fit` where commands have commands.
struct Entry {
  std::string path;  ///< "curves fit"
  std::vector<std::string> words;
  const CLI::App* app;
};

std::vector<Entry> entries_of(const CLI::App& root) {
  std::vector<Entry> entries;
  for (const CLI::App* command : commands_of(root)) {
    Entry entry{command->get_name(), options_of(*command), command};
    for (const CLI::App* below : commands_of(*command)) {
      entry.words.push_back(below->get_name());
      entries.push_back({command->get_name() + " " + below->get_name(), options_of(*below), below});
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Without what a shell would take for more than text within single quotes or brackets.
std::string plain(std::string text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '[' || c == ']' || c == '\\' || c == '`' || c == '$') continue;
    result.push_back(c == ':' ? ',' : c == '\n' ? ' ' : c);
  }
  return result;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::vector<std::string> names_of(const Commands& commands) {
  std::vector<std::string> names;
  for (const CLI::App* each : commands) names.push_back(each->get_name());
  return names;
}

std::string bash(const CLI::App& root) {
  std::string text =
      "# source <(rigspace completion bash)\n_rigspace() {\n  local cur=\"${COMP_WORDS[COMP_CWORD]}\"\n"
      "  local words=\"\"\n  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n";
  std::vector<Entry> entries = entries_of(root);
  for (const Entry& entry : entries)
    text += fmt::format("    '{}'{}) words='{}' ;;\n", entry.path,
                        entry.path.find(' ') == std::string::npos ? "\\ *" : "", joined(entry.words));
  text += "  esac\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  text += fmt::format("    words='{} help {}'\n", joined(names_of(commands_of(root))), joined(options_of(root)));
  text +=
      "  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
      "  case \"$cur\" in -*) ;; *) COMPREPLY+=($(compgen -f -- \"$cur\")) ;; esac\n}\n"
      "complete -o filenames -F _rigspace rigspace\n";
  return text;
}

std::string zsh(const CLI::App& root) {
  std::string text =
      "#compdef rigspace\n# source <(rigspace completion zsh)\n_rigspace() {\n  local -a commands\n"
      "  if (( CURRENT == 2 )); then\n    commands=(\n";
  for (const CLI::App* each : commands_of(root))
    text += fmt::format("      '{}:{}'\n", each->get_name(), plain(each->get_description()));
  text += "    )\n    _describe command commands\n    _files\n    return\n  fi\n  case \"$words[2] $words[3]\" in\n";
  for (const Entry& entry : entries_of(root)) {
    const bool one = entry.path.find(' ') == std::string::npos;
    text += fmt::format("    '{}'{}) compadd -- {}; _files ;;\n", entry.path, one ? "\\ *" : "", joined(entry.words));
  }
  text += "  esac\n}\ncompdef _rigspace rigspace\n";
  return text;
}

std::string fish(const CLI::App& root) {
  std::string text = "# rigspace completion fish | source\n";
  for (const CLI::App* each : commands_of(root))
    text += fmt::format("complete -c rigspace -n __fish_use_subcommand -a {} -d '{}'\n", each->get_name(),
                        plain(each->get_description()));
  for (const Entry& entry : entries_of(root)) {
    const std::string name = entry.path.substr(entry.path.rfind(' ') + 1);
    for (const CLI::App* below : commands_of(*entry.app))
      text += fmt::format("complete -c rigspace -n '__fish_seen_subcommand_from {}' -a {} -d '{}'\n", name,
                          below->get_name(), plain(below->get_description()));
    for (const CLI::Option* option : entry.app->get_options())
      for (const std::string& long_name : option->get_lnames())
        text += fmt::format("complete -c rigspace -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n", name, long_name,
                            plain(option->get_description()));
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app, Context&) {
  auto* command = app.add_subcommand("completion", "Commands and options for a shell's Tab key");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples\n  source <(rigspace completion bash)       in ~/.bashrc\n"
      "  source <(rigspace completion zsh)        in ~/.zshrc, after compinit\n"
      "  rigspace completion fish > ~/.config/fish/completions/rigspace.fish");
  command->callback([shell, &app] {
    fmt::print("{}", *shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
  });
}

}  // namespace rigspace::tools
