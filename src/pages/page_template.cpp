#include "page_template.h"

#include "rigspace/base/error.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

// cmake/viewer.cmake puts the pages that studio/viewer builds into the program, or the reason why they are missing.
#ifdef RIGSPACE_VIEWER_EMBEDDED
extern "C" const char rigspace_viewer_begin[];
extern "C" const char rigspace_viewer_end[];
extern "C" const char rigspace_soft_begin[];
extern "C" const char rigspace_soft_end[];
extern "C" const char rigspace_batch_begin[];
extern "C" const char rigspace_batch_end[];
extern "C" const char rigspace_studio_begin[];
extern "C" const char rigspace_studio_end[];
#endif
#ifndef RIGSPACE_VIEWER_MISSING
#define RIGSPACE_VIEWER_MISSING "the build did not ask for it"
#endif

namespace rigspace {
namespace {

std::string_view page_template([[maybe_unused]] PageKind kind) {
#ifdef RIGSPACE_VIEWER_EMBEDDED
  const auto between = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  switch (kind) {
    case PageKind::soft: return between(rigspace_soft_begin, rigspace_soft_end);
    case PageKind::batch: return between(rigspace_batch_begin, rigspace_batch_end);
    case PageKind::studio: return between(rigspace_studio_begin, rigspace_studio_end);
    case PageKind::viewer: break;
  }
  return between(rigspace_viewer_begin, rigspace_viewer_end);
#else
  throw Error({.code = ErrorCode::internal,
               .element = "the viewer's page",
               .problem = "is not part of this build (" RIGSPACE_VIEWER_MISSING ")",
               .remedy = "install nodejs and npm, then run ./run build"});
#endif
}

void check_glb(std::span<const std::byte> glb) {
  constexpr std::size_t kHeaderBytes = 12;
  if (glb.size() < kHeaderBytes || std::memcmp(glb.data(), "glTF", 4) != 0)
    throw Error({.problem = "is not a binary glTF file", .remedy = "convert it to .glb first"});
}

/// Text for the inside of an element and of a quoted attribute.
std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

void append_base64(std::span<const std::byte> bytes, std::string& text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0u; };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
}

}  // namespace

std::string json_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || c == '"' || c == '\\' || c == '<' || code == 0x7f)
      json.append("\\u00").append(1, kHex[code >> 4]).append(1, kHex[code & 15]);
    else
      json += c;
  }
  return json + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

namespace {

// The slots in the order of the page.
constexpr std::array<std::string_view, 3> kSlots = {"@RIGSPACE_TITLE@", "@RIGSPACE_OPTIONS@", "@RIGSPACE_CHARACTER@"};

/// Fills the first `count` slots. Each is looked for in the template alone, so that a title that looks like a slot
/// stays a title.
std::string filled(std::string_view rest, std::size_t count, std::string_view title, std::string_view options,
                   std::span<const std::byte> glb) {
  std::string page;
  page.reserve(rest.size() + 4 * (glb.size() / 3 + 1) + 6 * title.size() + options.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = rest.find(kSlots[i]);
    if (at == std::string_view::npos)
      throw Error({.code = ErrorCode::internal,
                   .element = "the viewer's page",
                   .problem = "lacks " + std::string(kSlots[i]),
                   .remedy = "build studio/viewer again"});
    page += rest.substr(0, at);
    rest.remove_prefix(at + kSlots[i].size());
    if (i == 0) page += html_escaped(title);
    if (i == 1) page += options;
    if (i == 2) append_base64(glb, page);
  }
  page += rest;
  return page;
}

}  // namespace

std::string filled_page(PageKind kind, std::string_view title, std::string_view options,
                        std::span<const std::byte> glb) {
  check_glb(glb);
  return filled(page_template(kind), kSlots.size(), title, options, glb);
}

std::string filled_page(PageKind kind, std::string_view title, std::string_view options) {
  return filled(page_template(kind), kSlots.size() - 1, title, options, {});
}

std::string filled_page(PageKind kind) { return std::string(page_template(kind)); }

}  // namespace rigspace
