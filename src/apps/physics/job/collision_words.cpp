#include "collision_words.h"

#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/body/character_obstacle.h"
#include "rigspace/io/formats.h"

namespace rigspace {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& word) { return word != "self" && word != "parts" && !is_shape(word); }

fs::path found_from(const fs::path& folder, const std::string& word) {
  const fs::path path = (folder.empty() ? fs::path(".") : folder) / word;
  if (!fs::exists(path)) {
    if (word.find(':') != std::string::npos || word.find('.') == std::string::npos)
      obstacle_from_words(word);  // throws the Error about the shape
    throw Error(
        {.file = path.lexically_normal().string(),
         .problem = "does not exist",
         .remedy = "--collide takes self, parts, ground, sphere:x,y,z,r, capsule:x,y,z,x,y,z,r or a character"});
  }
  return path.lexically_normal();
}

}  // namespace

std::vector<std::string> colliders_seen_from(const std::vector<std::string>& words, const fs::path& folder,
                                             const fs::path& other) {
  std::vector<std::string> seen;
  for (const std::string& word : words) {
    if (!is_file(word)) {
      if (is_shape(word)) obstacle_from_words(word);  // throws if the shape is wrong
      seen.push_back(word);
      continue;
    }
    const fs::path path = found_from(folder, word);
    const fs::path relative = fs::relative(path, other.empty() ? fs::path(".") : other);
    seen.push_back((relative.empty() ? fs::absolute(path) : relative).generic_string());
  }
  return seen;
}

Collisions collisions_of(const RecipeOptions& options, const std::string& clip, const fs::path& folder) {
  Collisions collisions = options.physics.collisions;
  for (const std::string& word : options.collide) {
    if (word == "self")
      collisions.limbs = collisions.self = true;
    else if (word == "parts")
      collisions.parts = true;
    else if (is_shape(word))
      collisions.obstacles.push_back(obstacle_from_words(word));
    else
      collisions.obstacles.push_back(obstacle_of(load_character(found_from(folder, word).string()), clip));
  }
  return collisions;
}

std::string colliders_stamp(const std::vector<std::string>& words, const fs::path& folder) {
  std::string stamp;
  for (const std::string& word : words)
    if (is_file(word)) stamp += " " + content_hash(read_file(found_from(folder, word)));
  return stamp;
}

}  // namespace rigspace
