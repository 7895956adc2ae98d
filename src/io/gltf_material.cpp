#include "gltf_loader.h"

#include <cmath>

namespace rigspace {
namespace {

const Json& base_color_texture(const GltfDocument& document, int material) {
  const std::string element = document.label("materials", material);
  const Json& pbr = document.object(document.item("materials", material), "pbrMetallicRoughness", element);
  return document.object(pbr, "baseColorTexture", element);
}

/// PNG and JPEG only, detected by their first bytes: the renderers decode no other.
bool is_drawable(std::span<const std::byte> b) {
  const auto begins = [&](std::initializer_list<int> magic) {
    std::size_t i = 0;
    for (const int m : magic)
      if (i >= b.size() || std::to_integer<int>(b[i++]) != m) return false;
    return true;
  };
  return begins({0x89, 'P', 'N', 'G'}) || begins({0xFF, 0xD8, 0xFF});
}

/// The image's place in the character, loaded on first use; -1 where it cannot be had. A picture that is missing is no
/// reason to refuse a character.
int load_image(GltfLoader& loader, int image, std::vector<int>& loaded) {
  if (loaded[image] != -2) return loaded[image];
  loaded[image] = -1;
  const GltfDocument& document = loader.document;
  const Json& json = document.item("images", image);
  const std::string element = document.label("images", image);
  Image result{.name = document.text(json, "name", element), .encoded = {}};
  if (const std::string uri = document.text(json, "uri", element); !uri.empty()) {
    try {
      result.encoded = document.resource(uri, element);
    } catch (const Error& error) {
      const bool inside = uri.starts_with("data:");
      loader.warn(element + " is left out: " + (inside ? "" : "\"" + uri + "\" ") + error.info().problem +
                  (inside ? "." : "; put the file there, or the colour of the material is shown alone."));
      return -1;
    }
  } else if (const int view = document.index(json, "bufferView", element, "bufferViews"); view >= 0) {
    const auto bytes = document.view_bytes(view);
    document.spend(bytes.size(), element);
    result.encoded.assign(bytes.begin(), bytes.end());
  }
  if (!is_drawable(result.encoded)) {
    loader.warn(element + " is left out: it is neither PNG nor JPEG.");
    return -1;
  }
  loaded[image] = static_cast<int>(loader.character.images.size());
  loader.character.images.push_back(std::move(result));
  return loaded[image];
}

int image_of_texture(const GltfDocument& document, const Json& use, const std::string& element) {
  const int texture = document.index(use, "index", element, "textures");
  return texture < 0 ? -1
                     : document.index(document.item("textures", texture), "source",
                                      "texture " + std::to_string(texture), "images");
}

}  // namespace

void load_materials(GltfLoader& loader) {
  const GltfDocument& document = loader.document;
  std::vector<int> loaded(document.size_of("images"), -2);
  for (int i = 0; i < document.size_of("materials"); ++i) {
    const Json& json = document.item("materials", i);
    const std::string element = document.label("materials", i);
    document.spend(200, element);
    SurfaceMaterial material{.name = document.text(json, "name", element)};
    material.double_sided = document.flag(json, "doubleSided", element);
    const Json& pbr = document.object(json, "pbrMetallicRoughness", element);
    if (const auto c = document.numbers(pbr, "baseColorFactor", element, 4); !c.empty())
      material.base_color = Eigen::Map<const Vec4>(c.data()).cast<float>();
    const int image = image_of_texture(document, base_color_texture(document, i), element);
    if (image >= 0) material.image = load_image(loader, image, loaded);
    loader.character.materials.push_back(std::move(material));
  }
}

TextureUse texture_use(const GltfDocument& document, int material) {
  TextureUse use;
  if (material < 0) return use;
  const std::string element = document.label("materials", material);
  const Json& texture = base_color_texture(document, material);
  use.set = static_cast<int>(document.integer(texture, "texCoord", element, 1000).value_or(0));
  const Json& extension =
      document.object(document.object(texture, "extensions", element), "KHR_texture_transform", element);
  if (extension.empty()) return use;
  if (const auto set = document.integer(extension, "texCoord", element, 1000)) use.set = static_cast<int>(*set);
  Eigen::Vector2d offset(0, 0), scale(1, 1);
  if (const auto v = document.numbers(extension, "offset", element, 2); !v.empty()) offset = {v[0], v[1]};
  if (const auto v = document.numbers(extension, "scale", element, 2); !v.empty()) scale = {v[0], v[1]};
  const Json* angle = GltfDocument::find(extension, "rotation");
  const double r = angle && angle->is_number() ? angle->get<double>() : 0;
  // uv' = T R S uv; v points down, so R turns the other way round.
  Eigen::Matrix2d R;
  R << std::cos(r), std::sin(r), -std::sin(r), std::cos(r);
  use.transform.leftCols<2>() = (R * scale.asDiagonal()).cast<float>();
  use.transform.col(2) = offset.cast<float>();
  return use;
}

}  // namespace rigspace
