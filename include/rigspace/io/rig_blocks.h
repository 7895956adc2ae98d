#pragma once
// What other rooms add to rig files: blocks of their own at the top level ("sketch": {..}), and types of deformers.
// Each room registers its own with a function that programs call before they read files; nothing registers itself.

#include "rigspace/io/rig_file.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rigspace {

class Field;  // json_text.h

/// A top-level block. It is carried in Character::extensions under its name and written back by write_rig_file. A block
/// that is not registered is refused, in a file as any field that is not known, and when it is to be written.
struct RigBlock {
  std::string name;  ///< the key in the file; none of the sections of rig files
  /// Called when the rig is built and clips are read. Field::fail names line and field of what is wrong.
  std::function<std::shared_ptr<const CharacterExtension>(const Field& block, const RiggedCharacter& rigged)> read;
  /// The block as JSON text: what `read` gave, or the room itself made.
  std::function<std::string(const CharacterExtension& extension, const RiggedCharacter& rigged)> write;
};

/// A type of entry in "deformers". "type", "name" and "pieces" are read and written for it.
struct RigDeformerType {
  std::string name;  ///< the value of "type"
  /// Should throw for unknown fields, with Field::allow: "type", "name", "pieces" and its own.
  std::function<std::shared_ptr<const plan::OwnDeformer>(const Field& entry)> read;
  std::function<std::string(const plan::OwnDeformer& deformer)> write;  ///< its own fields, a JSON object as text
};

/// A later one of the same name replaces the earlier one. Not to be called while files are read or written. Throws
/// Error for the name of a section.
void register_rig_block(RigBlock block);
void register_rig_deformer(RigDeformerType type);

std::span<const RigBlock> rig_blocks();
std::span<const RigDeformerType> rig_deformers();
/// The registered type of this name, or nullptr.
const RigDeformerType* find_rig_deformer(std::string_view name);

}  // namespace rigspace
