// Mutated files: bytes flipped, JSON values changed, ends cut off. Each loads and evaluates, or throws rigspace::Error;
// memory stays within the bound that gltf.h states. RIGSPACE_FUZZ sets how many (default 200).
#include "gltf_maker.h"
#include "rigspace/base/files.h"
#include "support/assets.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

namespace {

std::atomic<std::size_t> g_live{0}, g_peak{0};

void* counted_allocate(std::size_t size) {
  void* memory = std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  const std::size_t live = g_live += malloc_usable_size(memory);
  std::size_t peak = g_peak;
  while (live > peak && !g_peak.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

void counted_free(void* memory) {
  if (memory) g_live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// Eigen's arrays come from malloc itself and are not counted: they are copies of what is.
void* operator new(std::size_t size) { return counted_allocate(size); }
void* operator new[](std::size_t size) { return counted_allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted_allocate(size); }
void operator delete(void* memory) noexcept { counted_free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { counted_free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { counted_free(memory); }
void operator delete[](void* memory) noexcept { counted_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { counted_free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { counted_free(memory); }

namespace rigspace::gltf_fuzz_test {
namespace {

using Bytes = std::vector<std::byte>;
using Json = nlohmann::ordered_json;
using testing::GltfMaker;
using testing::SmallCharacter;

int count() {
  const char* text = std::getenv("RIGSPACE_FUZZ");
  return text ? std::atoi(text) : 200;
}

/// Only an Error, or a character whose rest pose is finite and whose clips can be evaluated. True if it loaded.
bool load_and_evaluate(const Bytes& bytes, const std::string& what) {
  const std::size_t before = g_live;
  g_peak = before;
  bool loaded = false;
  try {
    const Character character = load_gltf(bytes, "f");
    loaded = true;
    EXPECT_TRUE(testing::rest_points(character).allFinite()) << what;
    for (const Animation& clip : character.clips)
      EXPECT_TRUE(testing::evaluate(character, pose_at(character, &clip, 0.4 * clip.duration)).allFinite()) << what;
  } catch (const Error& error) {
    EXPECT_FALSE(error.info().problem.empty()) << what;
    EXPECT_FALSE(error.info().remedy.empty()) << what;
  }
  EXPECT_LE(g_peak - before, (std::size_t{128} << 20) + 128 * bytes.size()) << what;
  return loaded;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  int below(std::size_t n) { return static_cast<int>(random_() % std::max<std::size_t>(n, 1)); }

  Bytes flip(Bytes bytes) {
    for (int k = 1 + below(8); k > 0 && !bytes.empty(); --k)
      bytes[below(bytes.size())] = static_cast<std::byte>(below(256));
    return bytes;
  }

  Bytes cut(Bytes bytes) {
    bytes.resize(below(bytes.size()));
    return bytes;
  }

  /// Changes one to three values anywhere in the tree.
  std::string change(const std::string& text) {
    Json json = Json::parse(text);
    for (int k = 1 + below(3); k > 0; --k) change_one(json);
    return json.dump();
  }

 private:
  void change_one(Json& json) {
    std::vector<Json*> values;
    collect(json, values);
    Json& value = *values[below(values.size())];
    static const Json kOdd[] = {
        -1,   0,       1,       2,    7,      255,          65536,    4294967295u, 1e18,          1e300,
        0.5,  -1e-300, nullptr, "",   "VEC3", "MAT4",       "SCALAR", true,        Json::array(), Json::object(),
        5120, 5121,    5123,    5125, 5126,   1099511627776};
    switch (below(4)) {
      case 0:
        if (value.is_number())
          value = value.get<double>() + (below(2) ? 1 : -1);
        else
          value = kOdd[below(std::size(kOdd))];
        break;
      case 1:
        if (value.is_structured() && !value.empty()) value.erase(std::next(value.begin(), below(value.size())));
        break;
      case 2:
        if (value.is_array() && !value.empty()) {
          // A list grown many times over.
          const Json copy = value[below(value.size())];
          for (int i = below(300); i > 0; --i) value.push_back(copy);
        }
        break;
      default: value = kOdd[below(std::size(kOdd))];
    }
  }

  static void collect(Json& json, std::vector<Json*>& values) {
    if (!json.is_structured()) {
      values.push_back(&json);
      return;
    }
    for (Json& child : json) {
      if (child.is_structured()) values.push_back(&child);
      collect(child, values);
    }
    if (values.empty()) values.push_back(&json);
  }

  std::mt19937 random_;
};

/// A GLB taken apart, so that its JSON can be changed under an intact container.
struct Parts {
  std::string json;
  Bytes bin;
  explicit Parts(const Bytes& glb) {
    std::uint32_t length;
    std::memcpy(&length, glb.data() + 12, 4);
    json.assign(reinterpret_cast<const char*>(glb.data()) + 20, length);
    if (glb.size() > 28 + length) bin.assign(glb.begin() + 28 + length, glb.end());
  }
};

int fuzz(const Bytes& glb, int rounds, unsigned seed) {
  const Parts parts(glb);
  Mutator mutator(seed);
  int loaded = 0;
  for (int i = 0; i < rounds; ++i) {
    Bytes bytes;
    switch (i % 5) {
      case 0: bytes = mutator.flip(glb); break;
      case 1: bytes = mutator.cut(glb); break;
      case 2: bytes = GltfMaker::pack(parts.json, mutator.flip(parts.bin)); break;
      default: bytes = GltfMaker::pack(mutator.change(parts.json), parts.bin);
    }
    loaded += load_and_evaluate(bytes, "seed " + std::to_string(seed) + " round " + std::to_string(i));
    if (::testing::Test::HasFailure()) break;
  }
  return loaded;
}

TEST(GltfFuzz, ASmallGlbNeverCrashes) {
  const int loaded = fuzz(SmallCharacter().glb(), count(), 1);
  EXPECT_GT(loaded, count() / 20);  // the mutations must be small enough to get past the first check
  EXPECT_LT(loaded, count());
}

TEST(GltfFuzz, ASmallGltfNeverCrashes) {
  const SmallCharacter small;
  const GltfFile file(small.glb(), "f.glb");
  const auto path = std::filesystem::temp_directory_path() / ("rigspace_fuzz_" + std::to_string(::getpid()) + ".gltf");
  file.save(path, {.embed = true});
  const std::string text = read_text(path);
  std::filesystem::remove(path);
  Mutator mutator(2);
  const auto bytes_of = [](const std::string& t) {
    const auto b = std::as_bytes(std::span(t));
    return Bytes(b.begin(), b.end());
  };
  for (int i = 0; i < count() && !HasFailure(); ++i) {
    const Bytes bytes = i % 3 == 0   ? mutator.flip(bytes_of(text))
                        : i % 3 == 1 ? mutator.cut(bytes_of(text))
                                     : bytes_of(mutator.change(text));
    load_and_evaluate(bytes, "round " + std::to_string(i));
  }
}

TEST(GltfFuzz, ARealFileNeverCrashes) {
  RIGSPACE_ASSET_OR_SKIP(path, "khr_RiggedSimple/RiggedSimple.glb");
  EXPECT_GT(fuzz(read_file(path), count(), 3), 0);
}

TEST(GltfFuzz, ARealFileWithMorphsNeverCrashes) {
  RIGSPACE_ASSET_OR_SKIP(path, "khr_MorphStressTest/MorphStressTest.glb");
  EXPECT_GT(fuzz(read_file(path), std::max(1, count() / 10), 4), 0);
}

TEST(GltfFuzz, MuchInFewBytesStaysWithinBounds) {
  // Three bytes a node; then a chain, each the child of the one before.
  std::string flat = "{}", chain = "{\"children\":[1]}";
  for (int i = 1; i < 100'000; ++i) flat += ",{}";
  for (int i = 1; i < 20'000; ++i) chain += i + 1 < 20'000 ? ",{\"children\":[" + std::to_string(i + 1) + "]}" : ",{}";
  load_and_evaluate(GltfMaker().glb("\"nodes\":[" + flat + "]"), "flat");
  load_and_evaluate(GltfMaker().glb("\"nodes\":[" + chain + "]"), "chain");
  std::string lists = "[]";
  for (int i = 1; i < 1'000'000; ++i) lists += ",[]";
  load_and_evaluate(GltfMaker().glb("\"extras\":[" + lists + "]"), "lists");
  GltfMaker maker;
  maker.floats("VEC3", std::vector<float>(30'000, 1.0f));
  std::string instances = "{\"mesh\":0}";
  for (int i = 1; i < 3'000; ++i) instances += ",{\"mesh\":0}";
  load_and_evaluate(
      maker.glb("\"nodes\":[" + instances + "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"),
      "instances");
}

}  // namespace
}  // namespace rigspace::gltf_fuzz_test
