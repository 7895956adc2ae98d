#include "rigspace/pages/soft_page.h"

#include "pages.h"

namespace rigspace {
namespace {

SoftPageOptions walk() {
  const SoftPagePart tail{.name = "tail", .preset = "tail", .nodes = {"tail_01", "tail_02"}, .summary = "Swings."};
  const SoftPagePart belly{.name = "belly", .preset = "belly", .morphs = {"body:belly"}};
  return {.title = "hero.soft.glb",
          .pairs = {{.base = "Walk", .soft = "Walk_soft", .loop = true, .parts = {tail, belly}},
                    {.base = "Jump", .soft = "Jump_soft"}},
          .notes = {"It measures 154.7 units."}};
}

TEST(SoftPage, CarriesItsOptionsAsJson) {
  RIGSPACE_PAGE_OR_SKIP(page, soft_page(bytes_of("glTF12345678"), walk()));
  EXPECT_EQ(between(page, "<title>", "</title>"), "hero.soft.glb");
  EXPECT_EQ(between(page, "id=\"options\">", "</script>"),
            R"({"title":"hero.soft.glb","pairs":[{"base":"Walk","soft":"Walk_soft","loop":true,"parts":[)"
            R"({"name":"tail","preset":"tail","nodes":["tail_01","tail_02"],"morphs":[],"summary":"Swings."},)"
            R"({"name":"belly","preset":"belly","nodes":[],"morphs":["body:belly"],"summary":""}]},)"
            R"({"base":"Jump","soft":"Jump_soft","loop":false,"parts":[]}],"notes":["It measures 154.7 units."]})");
  EXPECT_EQ(between(page, "id=\"character\">", "</script>"), "Z2xURjEyMzQ1Njc4");
}

TEST(SoftPage, CarriesMeasuredCurvesAndTheNamesOfItsSides) {
  SoftPageOptions options{
      .title = "t", .pairs = {{.base = "full", .soft = "fast"}}, .base_label = "full", .soft_label = "fast"};
  options.pairs[0].parts.push_back({.name = "distance", .curves = {{.name = "largest", .percent = {0, 0.5}}}});
  RIGSPACE_PAGE_OR_SKIP(page, soft_page(bytes_of("glTF12345678"), options));
  EXPECT_EQ(
      between(page, "id=\"options\">", "</script>"),
      R"({"title":"t","pairs":[{"base":"full","soft":"fast","loop":false,"parts":[{"name":"distance","preset":"",)"
      R"("nodes":[],"morphs":[],"summary":"","curves":[{"name":"largest","percent":[0.000000,0.500000]}]}]}],)"
      R"("notes":[],"labels":{"before":"full","after":"fast"}})");
}

TEST(SoftPage, CarriesWhatTheDeskNeeds) {
  SoftPageOptions options{.title = "t", .pairs = {{.base = "Walk", .soft = "Walk_soft", .loop = true}}};
  options.rerun = "rigspace rerun 'a b.json'";
  SoftPair& pair = options.pairs[0];
  pair.why = "its name says \"walk\"";
  pair.period = 1.5;
  pair.gap = 0.25;
  pair.largest = SoftPageLargest{.percent = 6.5, .at = 0.75};
  pair.parts.push_back({.name = "belly",
                        .morphs = {"body:x"},
                        .more_morphs = {"shirt:x"},
                        .amounts = {{.part = "belly", .amount = 0.5},
                                    {.part = "chest",
                                     .key_times = {0, 1},
                                     .key_values = {1, 0.5},
                                     .interpolation = "linear",
                                     .clip_only = true}}});
  RIGSPACE_PAGE_OR_SKIP(page, soft_page(bytes_of("glTF12345678"), options));
  EXPECT_EQ(
      between(page, "id=\"options\">", "</script>"),
      R"({"title":"t","pairs":[{"base":"Walk","soft":"Walk_soft","loop":true,"why":"its name says \u0022walk\u0022",)"
      R"("period":1.5,"gap":0.25,"largest":{"percent":6.5,"at":0.75},"parts":[{"name":"belly","preset":"","nodes":[],)"
      R"("morphs":["body:x"],"moreMorphs":["shirt:x"],"summary":"","amounts":[{"part":"belly","amount":0.5},)"
      R"({"part":"chest","amount":1,"keys":[[0,1],[1,0.5]],"interpolation":"linear","clipOnly":true}]}]}],)"
      R"("notes":[],"rerun":"rigspace rerun 'a b.json'"})");
}

TEST(SoftPage, KeepsHostileNamesHarmless) {
  const std::string hostile = "</script><script>alert(\"1\")";
  SoftPageOptions options = walk();
  options.pairs[0].base = options.pairs[0].parts[0].nodes[0] = options.pairs[0].parts[0].summary = hostile;
  options.notes = {hostile};
  RIGSPACE_PAGE_OR_SKIP(page, soft_page(bytes_of("glTF12345678"), options));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("\"notes\":[\"\\u003c/script>\\u003cscript>alert(\\u00221\\u0022)\"]"), std::string::npos);
}

TEST(SoftPage, IsAnotherPageThanTheViewer) {
  RIGSPACE_PAGE_OR_SKIP(page, soft_page(bytes_of("glTF12345678"), walk()));
  EXPECT_NE(page.find("Side by side"), std::string::npos);
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
  EXPECT_NE(page.find("The MIT License"), std::string::npos) << "three.js goes along with its licence";
}

TEST(SoftPage, NeedsAPairAndABinaryGltf) {
  const auto said = [](std::string_view bytes, const SoftPageOptions& options) -> std::string {
    try {
      soft_page(bytes_of(bytes), options);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(said("glTF12345678", {.title = "t"}), "the page has no two clips to compare; give a pair of clips");
  EXPECT_EQ(said("{}", walk()), "is not a binary glTF file; convert it to .glb first");
}

}  // namespace
}  // namespace rigspace
