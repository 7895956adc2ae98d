#include "rigspace/pages/batch_page.h"

#include "pages.h"

#include <limits>

namespace rigspace {
namespace {

BatchPage two_characters() {
  const BatchClip walk{.name = "Walk",
                       .loop = true,
                       .why = "its name says \"walk\"",
                       .duration = 1.25,
                       .seam_percent = 0,
                       .typical_percent = 2.5,
                       .largest_percent = 6.125,
                       .problems = {"buzzes"},
                       .seconds = 3.5};
  const BatchCharacter hero{.name = "hero.glb",
                            .page = "hero.soft.html",
                            .parts = {{.name = "tail", .preset = "tail", .reason = "called tail_01"}},
                            .remark = "It is gentle.",
                            .clips = {walk, {.name = "Pose"}},
                            .warnings = {"It is small."},
                            .seconds = 4};
  return {.title = "bunch", .characters = {hero, {.name = "chair.glb", .failure = "has no joints"}}, .seconds = 5};
}

TEST(BatchPage, CarriesItsCharactersAsJson) {
  RIGSPACE_PAGE_OR_SKIP(page, batch_page(two_characters()));
  EXPECT_EQ(between(page, "<title>", "</title>"), "bunch");
  EXPECT_EQ(
      between(page, "id=\"options\">", "</script>"),
      R"({"title":"bunch","characters":[{"name":"hero.glb","page":"hero.soft.html","parts":[{"name":"tail",)"
      R"("preset":"tail","reason":"called tail_01"}],"remark":"It is gentle.","clips":[{"name":"Walk","loop":true,)"
      R"("why":"its name says \u0022walk\u0022","duration":1.25,"seam":0,"typical":2.5,"largest":6.125,)"
      R"("problems":["buzzes"],"seconds":3.5},{"name":"Pose","loop":false,"duration":0,"problems":[]}],)"
      R"("warnings":["It is small."],"seconds":4},{"name":"chair.glb","parts":[],"clips":[],"warnings":[],)"
      R"("failure":"has no joints"}],"seconds":5})");
}

TEST(BatchPage, HoldsNoCharacterAndNeedsNoNetwork) {
  RIGSPACE_PAGE_OR_SKIP(page, batch_page(two_characters()));
  EXPECT_EQ(page.find("id=\"character\""), std::string::npos);
  EXPECT_EQ(page.find("@RIGSPACE_"), std::string::npos) << "all slots are filled";
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
  EXPECT_LT(page.size(), 100'000u);
}

TEST(BatchPage, KeepsHostileNamesHarmlessAndNumbersValid) {
  const std::string hostile = "</script><script>alert(\"1\")";
  BatchPage batch{.title = hostile, .characters = {{.name = hostile, .failure = hostile}}};
  batch.characters[0].clips = {{.name = hostile, .largest_percent = std::numeric_limits<double>::quiet_NaN()}};
  RIGSPACE_PAGE_OR_SKIP(page, batch_page(batch));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("\"largest\":null"), std::string::npos);
}

}  // namespace
}  // namespace rigspace
