#pragma once
// Private to physics: what a batch has finished, kept beside its page, so that the same command goes on.

#include "rigspace/apps/physics/batch.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

struct BatchRecord {
  struct Row {
    std::string key;  ///< hash of all that the result depends on
    BatchEntry entry;
  };
  std::vector<Row> entries;

  /// The entry that was finished under this key and whose files are still there; null otherwise.
  const BatchEntry* find(const std::string& key) const;
};

/// Empty where there is none, or one that is damaged.
BatchRecord read_batch_record(const std::filesystem::path& file);
void write_batch_record(const std::filesystem::path& file, const BatchRecord& record);

/// The page of a batch, as HTML.
std::string batch_page_of(const BatchResult& batch);

}  // namespace rigspace
