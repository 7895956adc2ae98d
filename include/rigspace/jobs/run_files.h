#pragma once
// The files that a job writes, by the name of its result.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// The files of a run, by the name of its result.
struct RunFiles {
  std::filesystem::path curves;  ///< of rigs whose own controls move: x.rigspace.json; of others none
  std::filesystem::path model, page, recipe;
  std::filesystem::path blend = {};    ///< of a .blend: a copy with the result in it; of others none
  std::filesystem::path fbx = {};      ///< of an FBX: the model as FBX; of others none
  std::filesystem::path partial = {};  ///< a folder, while it runs

  /// A model, x.glb or x.gltf, and what lies beside it; x.fbx is x.glb and the same as FBX.
  static RunFiles of_model(const std::filesystem::path& output);
  /// Curves, x.rigspace.json, and what lies beside them; an output that ends as any of these stands for all.
  static RunFiles of_curves(const std::filesystem::path& output);

  /// Only the curves and the recipe. Throws Error where the result is a model.
  RunFiles curves_alone() const;

  const std::filesystem::path& result() const { return curves.empty() ? model : curves; }
  /// How the result ends: ".gltf", ".glb" or ".rigspace.json".
  std::string format() const;
  /// All that is written, the result first.
  std::vector<std::filesystem::path> written() const;
  /// Before the work: throws Error if one of them cannot be written, is an input, or is something else's.
  void check(std::span<const std::filesystem::path> inputs) const;
};

}  // namespace rigspace
