#include "rigspace/pages/view_page.h"

#include "pages.h"

#include <utility>

namespace rigspace {
namespace {

TEST(ViewPage, HoldsTheFileInBase64) {
  // Bytes 12, 13 and 14 in number: all three paddings. The digits after the header follow RFC 4648.
  const std::string header("glTF\x02\0\0\0\x0c\0\0\0", 12);
  for (const auto& [tail, digits] : {std::pair{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}}) {
    RIGSPACE_PAGE_OR_SKIP(page, view_page(bytes_of(header + tail), {.title = "t", .clip = ""}));
    EXPECT_EQ(between(page, "id=\"character\">", "</script>"), std::string("Z2xURgIAAAAMAAAA") + digits);
  }
}

TEST(ViewPage, KeepsAHostileNameHarmless) {
  const std::string title = "</title><script>alert(\"1\")</script>&'\n\\";
  RIGSPACE_PAGE_OR_SKIP(page, view_page(bytes_of("glTF12345678"), {.title = title, .clip = "<!--"}));
  EXPECT_EQ(between(page, "<title>", "</title>"),
            "&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;\n\\");
  EXPECT_EQ(between(page, "id=\"options\">", "</script>"),
            "{\"title\":\"\\u003c/title>\\u003cscript>alert(\\u00221\\u0022)\\u003c/script>&'\\u000a\\u005c\","
            "\"clip\":\"\\u003c!--\"}");
}

TEST(ViewPage, ATitleThatLooksLikeASlotStaysATitle) {
  RIGSPACE_PAGE_OR_SKIP(page, view_page(bytes_of("glTF12345678"), {.title = "@RIGSPACE_CHARACTER@", .clip = ""}));
  EXPECT_EQ(between(page, "<title>", "</title>"), "@RIGSPACE_CHARACTER@");
  EXPECT_EQ(between(page, "id=\"character\">", "</script>"), "Z2xURjEyMzQ1Njc4");
}

TEST(ViewPage, NamesNoAddressToLoadFrom) {
  RIGSPACE_PAGE_OR_SKIP(page, view_page(bytes_of("glTF12345678"), {.title = "t", .clip = ""}));
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
  EXPECT_NE(page.find("Content-Security-Policy\" content=\"default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("The MIT License"), std::string::npos) << "three.js goes along with its licence";
}

TEST(ViewPage, RefusesWhatIsNoBinaryGltf) {
  for (const std::string_view text : {"", "glTF", "{\"asset\":{\"version\":\"2.0\"}}"}) {
    try {
      view_page(bytes_of(text), {});
      ADD_FAILURE() << "accepted " << text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "is not a binary glTF file; convert it to .glb first");
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
    }
  }
}

}  // namespace
}  // namespace rigspace
