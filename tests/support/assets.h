#pragma once
// Real third-party characters for tests, where they are present: $RIGSPACE_ASSETS, else ../shared/assets.

#include <gtest/gtest.h>

#include <filesystem>

namespace rigspace::testing {

std::filesystem::path assets_folder();
std::filesystem::path source_folder();  ///< of this project

}  // namespace rigspace::testing

/// Skips the test with one line where the asset is absent; fails instead under --require-assets
/// (RIGSPACE_REQUIRE_ASSETS=1).
#define RIGSPACE_ASSET_OR_SKIP(variable, relative)                                                \
  const std::filesystem::path variable = rigspace::testing::assets_folder() / (relative);         \
  if (!std::filesystem::exists(variable)) {                                                       \
    if (std::getenv("RIGSPACE_REQUIRE_ASSETS")) FAIL() << "asset " << variable << " is required"; \
    GTEST_SKIP() << "asset " << (relative) << " is absent";                                       \
  }
