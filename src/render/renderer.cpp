#include "rigspace/render/renderer.h"

#include "film.h"
#include "frame_scene.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/built_in_rig.h"
#include "skeleton_overlay.h"
#include "surface.h"
#include "texture.h"

#include <cmath>
#include <string>

namespace rigspace {

void RenderOptions::validate() const {
  const std::string sides = "expected 1 to " + std::to_string(kMaxPictureSide) + " pixels";
  require_option(width >= 1 && width <= kMaxPictureSide, "picture width", width, sides);
  require_option(height >= 1 && height <= kMaxPictureSide, "picture height", height, sides);
  const double pixels = static_cast<double>(width) * height;
  require_option(pixels <= static_cast<double>(kMaxPicturePixels), "number of pixels", pixels,
                 "expected at most " + std::to_string(kMaxPicturePixels));
  require_option(!ground_height || std::isfinite(*ground_height), "ground height", ground_height.value_or(0),
                 "expected a finite number");
  require_option(std::isfinite(key_azimuth), "key light azimuth", key_azimuth, "expected a finite angle");
  require_option(key_elevation > 0 && key_elevation <= 90 * kDegree, "key light elevation", key_elevation,
                 "expected more than 0 and at most 90 degrees");
  require_option(key_radius >= 0 && key_radius <= 45 * kDegree, "key light radius", key_radius,
                 "expected 0 to 45 degrees");
  require_option(std::abs(exposure) <= 10, "exposure", exposure, "expected -10 to 10 stops");
}

Snapshot take_snapshot(const Character& character, In p) {
  Snapshot snapshot;
  const auto workspace = character.rig->make_workspace();
  character.rig->evaluate(*workspace, p, snapshot.points);
  if (const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get())) {
    Vec u;
    rig->evaluate_slots(*workspace, p, u);
    for (const Bone& bone : character.bones)
      snapshot.joints.push_back(translation(transform_at(u, rig->graph().slots()[bone.slot])));
  }
  return snapshot;
}

struct Renderer::Parts {
  const Character& character;
  Surface surface;
  std::vector<std::optional<Texture>> textures;  // per image; only those that are used
  std::optional<Error> broken_texture;           // matters only to pictures with colours

  explicit Parts(const Character& the_character)
      : character(the_character), surface(make_surface(the_character)), textures(the_character.images.size()) {
    for (const Piece& piece : character.pieces) {
      const int image = piece.material >= 0 ? character.materials[piece.material].image : -1;
      if (image >= static_cast<int>(textures.size()))
        throw Error({.file = character.name,
                     .element = "material \"" + character.materials[piece.material].name + "\"",
                     .problem = "has image " + std::to_string(image),
                     .remedy = "the character has " + std::to_string(textures.size())});
      if (image < 0 || piece.uv.empty() || textures[image]) continue;
      try {
        textures[image].emplace(character.images[image]);
      } catch (const Error& error) {
        if (!broken_texture) broken_texture = error.in_file(character.name);
      }
    }
  }
};

Renderer::Renderer(const Character& character) : parts_(std::make_unique<const Parts>(character)) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

const Character& Renderer::character() const { return parts_->character; }

Picture Renderer::render(const Snapshot& snapshot, const Camera& camera, const RenderOptions& options) const {
  options.validate();
  if (options.colors && parts_->broken_texture) throw *parts_->broken_texture;
  const FrameScene scene(parts_->character, parts_->surface, parts_->textures, snapshot, camera, options);
  Picture picture(options.width, options.height);
  // In bands, so that memory does not grow with the picture; each with the neighbours that its edge rows need.
  constexpr int kBand = 256;
  for (int begin = 0; begin < options.height; begin += kBand) {
    const int end = std::min(options.height, begin + kBand);
    Film film{.first_row = std::max(0, begin - kFilmReach), .width = options.width};
    film.rows = std::min(options.height, end + kFilmReach) - film.first_row;
    expose(scene, film);
    develop(scene, film, begin, end, picture);
  }
  if (options.skeleton) draw_skeleton(picture, parts_->character, snapshot, camera);
  return picture;
}

Picture render(const Character& character, In p, const RenderOptions& options, const FramingOptions& framing) {
  options.validate();
  const Snapshot snapshot = take_snapshot(character, p);
  const Camera camera = frame(snapshot.points, static_cast<double>(options.width) / options.height, framing);
  return Renderer(character).render(snapshot, camera, options);
}

}  // namespace rigspace
