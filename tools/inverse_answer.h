#pragma once
// What rigspace inverse says of models and of motions that were mapped.

#include "command.h"

#include "rigspace/apps/inverse/mapped_keys.h"
#include "rigspace/apps/inverse/point_targets.h"

namespace rigspace::tools {

nlohmann::ordered_json facts_of(const InverseModel& model);
void print_facts(const InverseModel& model);
std::string words_of(const MappedKeys& made, int keys);
nlohmann::ordered_json json_of(const MappedMotion& mapped, const JointMotion& motion, const Character& own,
                               const Character& source);
void print_mapped(const MappedMotion& mapped, const JointMotion& motion);
/// One line a joint, the least sure first; joints of the same name are only counted.
void print_mapping(const JointMapping& mapping, const Character& own, const Character& source);

}  // namespace rigspace::tools
