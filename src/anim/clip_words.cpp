#include "clip_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace rigspace {
namespace {

/// How a word of the table is met: as it is, at the start of a word of the name ("walking"), or anywhere in it
/// ("swordattack").
enum class Where : char { whole, start, anywhere };
struct ClipWord {
  std::string_view word;
  Where where;
};

constexpr ClipWord kOnce[] = {
    {"attack", Where::anywhere}, {"punch", Where::anywhere},  {"pickup", Where::anywhere}, {"death", Where::anywhere},
    {"slash", Where::anywhere},  {"shoot", Where::anywhere},  {"stab", Where::start},      {"kick", Where::start},
    {"throw", Where::start},     {"hit", Where::whole},       {"hits", Where::whole},      {"hitrec", Where::start},
    {"hitreact", Where::start},  {"gothit", Where::start},    {"gethit", Where::start},    {"die", Where::whole},
    {"dies", Where::whole},      {"dying", Where::whole},     {"dead", Where::whole},      {"hurt", Where::start},
    {"damage", Where::start},    {"react", Where::start},     {"recieve", Where::start},   {"receive", Where::start},
    {"pick", Where::whole},      {"dodge", Where::start},     {"roll", Where::whole},      {"bite", Where::whole},
    {"jumpstart", Where::start}, {"land", Where::whole},      {"landing", Where::whole},   {"start", Where::whole},
    {"stop", Where::whole},      {"end", Where::whole},       {"begin", Where::whole},     {"enter", Where::whole},
    {"exit", Where::whole},      {"intro", Where::whole},     {"outro", Where::whole},     {"spawn", Where::start},
    {"standup", Where::start},   {"getup", Where::start},     {"sitdown", Where::start},   {"liedown", Where::start},
    {"knockback", Where::start}, {"knockout", Where::start},  {"reload", Where::start},    {"interact", Where::start},
    {"use", Where::whole},       {"spellcast", Where::start}, {"smash", Where::start},     {"fire", Where::whole},
    {"drink", Where::whole},     {"open", Where::whole},      {"close", Where::whole},     {"schlag", Where::start},
    {"angriff", Where::start},   {"tod", Where::whole},       {"ataque", Where::start},    {"muerte", Where::start},
    {"mort", Where::whole},      {"attaque", Where::start},   {"strike", Where::start},    {"roar", Where::start},
    {"bark", Where::whole},      {"howl", Where::start},      {"growl", Where::start},     {"yawn", Where::start},
    {"sneeze", Where::start},    {"salute", Where::start},    {"taunt", Where::start},
};

constexpr ClipWord kLoops[] = {
    {"loop", Where::start},   {"cycle", Where::anywhere}, {"idle", Where::start},   {"walk", Where::anywhere},
    {"run", Where::whole},    {"running", Where::whole},  {"runs", Where::whole},   {"trot", Where::start},
    {"gallop", Where::start}, {"canter", Where::start},   {"swim", Where::start},   {"fly", Where::whole},
    {"flying", Where::whole}, {"flap", Where::start},     {"glide", Where::start},  {"hover", Where::start},
    {"float", Where::start},  {"crawl", Where::start},    {"sneak", Where::start},  {"jog", Where::start},
    {"sprint", Where::start}, {"march", Where::start},    {"strafe", Where::start}, {"slither", Where::start},
    {"breath", Where::start}, {"danc", Where::start},     {"sleep", Where::start},  {"gehen", Where::start},
    {"laufen", Where::start}, {"marche", Where::start},   {"correr", Where::start}, {"caminar", Where::start},
    {"nage", Where::whole},   {"trab", Where::start},     {"galop", Where::start},  {"schwimm", Where::start},
    {"flieg", Where::start},  {"nadar", Where::start},    {"volar", Where::start},  {"trote", Where::start},
    {"camin", Where::start},  {"nuot", Where::start},     {"corsa", Where::whole},  {"trotto", Where::whole},
    {"hop", Where::whole},    {"hopping", Where::whole},  {"歩", Where::start},     {"走", Where::start},
    {"rennen", Where::whole}, {"跑", Where::start},       {"ходьба", Where::start}, {"Ходьба", Where::start},
    {"бег", Where::start},    {"Бег", Where::start},      {"걷", Where::start},
};

/// A way of moving, and its pace (stride_pace): people walk with 0.9 strides a second on legs of 0.9 m, jog with 1.35
/// and run with 1.5; animals that trot on legs of 0.5 m make two strides a second, that gallop nearly three.
struct Way {
  std::string_view word;
  double pace;
};
constexpr double kWalk = 1.75, kTrot = 3, kJog = 2.6, kRun = 2.9, kGallop = 4;

/// The most ordinary first.
constexpr Way kWays[] = {
    {"walk", kWalk},   {"trot", kTrot},    {"jog", kJog},    {"run", kRun},   {"gallop", kGallop}, {"canter", kGallop},
    {"swim", 0},       {"slither", 0},     {"fly", 0},       {"crawl", 0},    {"hop", 0},          {"move", 0},
    {"moving", 0},     {"locomotion", 0},  {"flap", 0},      {"glide", 0},    {"gehen", kWalk},    {"schritt", kWalk},
    {"laufen", kRun},  {"marche", kWalk},  {"camin", kWalk}, {"paso", kWalk}, {"trab", kTrot},     {"trote", kTrot},
    {"trotto", kTrot}, {"galop", kGallop}, {"correr", kRun}, {"corsa", kRun}, {"schwimm", 0},      {"nadar", 0},
    {"nage", 0},       {"flieg", 0},       {"volar", 0},     {"歩", kWalk},   {"走", kRun},        {"跑", kRun},
    {"ходьба", kWalk}, {"Ходьба", kWalk},  {"бег", kRun},    {"Бег", kRun},   {"걷", kWalk}};
constexpr std::string_view kUnusual[] = {"back",   "left",  "right", "side",  "strafe", "crouch", "sneak",
                                         "carry",  "hold",  "shoot", "sword", "gun",    "injur",  "drunk",
                                         "limp",   "jump",  "arms",  "aim",   "turn",   "stair",  "tall",
                                         "attack", "armed", "fast",  "hurt",  "zombie"};

std::string met(const std::vector<std::string>& words, std::span<const ClipWord> table) {
  for (const std::string& word : words)
    for (const ClipWord& known : table) {
      const std::size_t at = word.find(known.word);
      const bool fits = known.where == Where::whole   ? word == known.word
                        : known.where == Where::start ? at == 0
                                                      : at != std::string::npos;
      if (fits) return word;
    }
  return {};
}

}  // namespace

std::vector<std::string> words_of_clip(std::string_view name) {
  if (const auto bar = name.find_last_of("|:"); bar != std::string_view::npos && bar + 1 < name.size())
    name.remove_prefix(bar + 1);
  std::vector<std::string> words;
  const auto is = [&](std::size_t i, auto test) {
    return i < name.size() && test(static_cast<unsigned char>(name[i]));
  };
  const auto upper = [](int c) { return std::isupper(c) != 0; };
  const auto lower = [](int c) { return std::islower(c) != 0; };
  bool inside = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isalpha(c) == 0 && c < 128) {
      inside = false;
      continue;
    }
    // A capital after a small letter, or before one within capitals: "toIdle", "HPAttack".
    const bool begins = !inside || (is(i, upper) && (is(i - 1, lower) || is(i + 1, lower)));
    if (begins) words.emplace_back();
    words.back() += static_cast<char>(std::tolower(c));
    inside = true;
  }
  return words;
}

std::string once_word(const std::vector<std::string>& words) {
  // "Jump_toIdle", "IdleToWalk": from one state to another.
  for (std::size_t k = 1; k + 1 < words.size(); ++k)
    if (words[k] == "to") return "to " + words[k + 1];
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    const bool pair = (words[k] == "stand" && words[k + 1] == "up") || (words[k] == "get" && words[k + 1] == "up") ||
                      (words[k] == "sit" && words[k + 1] == "down") || (words[k] == "lie" && words[k + 1] == "down");
    if (pair) return words[k] + " " + words[k + 1];
  }
  return met(words, kOnce);
}

std::string leap_word(const std::vector<std::string>& words) {
  constexpr ClipWord leaps[] = {{"jump", Where::start},   {"leap", Where::start},  {"backflip", Where::start},
                                {"flip", Where::whole},   {"vault", Where::start}, {"somersault", Where::start},
                                {"sprung", Where::whole}, {"salto", Where::start}};
  return met(words, leaps);
}

std::string loop_word(const std::vector<std::string>& words) { return met(words, kLoops); }

bool names_off_ground(const std::vector<std::string>& words) {
  constexpr ClipWord free[] = {{"swim", Where::anywhere},  {"fly", Where::anywhere},  {"hover", Where::anywhere},
                               {"float", Where::anywhere}, {"schwimm", Where::start}, {"flieg", Where::start},
                               {"schweb", Where::start},   {"nadar", Where::start},   {"volar", Where::start},
                               {"nage", Where::whole},     {"vole", Where::whole},    {"voler", Where::whole},
                               {"nuot", Where::start}};
  return !met(words, free).empty();
}

bool names_idle(const std::vector<std::string>& words) {
  constexpr ClipWord idle[] = {{"idle", Where::start}};
  return !met(words, idle).empty();
}

int locomotion_rank(const std::vector<std::string>& words) {
  if (!once_word(words).empty()) return 0;
  for (const std::string& word : words)
    for (const std::string_view unusual : kUnusual)
      if (word.starts_with(unusual)) return 0;
  for (std::size_t k = 0; k < std::size(kWays); ++k)
    for (const std::string& word : words)
      if (word.starts_with(kWays[k].word)) return static_cast<int>(k) + 1;
  return 0;
}

double stride_pace(const std::vector<std::string>& words) {
  const int rank = locomotion_rank(words);
  return rank > 0 ? kWays[rank - 1].pace : 0;
}

}  // namespace rigspace
