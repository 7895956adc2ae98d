#include "guard.h"

#include <algorithm>

namespace rigspace::studio {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Whether a host is this server: 127.0.0.1:PORT, localhost:PORT or [::1]:PORT.
bool is_own(std::string_view host, int port) {
  const std::string end = ":" + std::to_string(port);
  if (!host.ends_with(end)) return false;
  host.remove_suffix(end.size());
  return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

/// The value of NAME in `NAME=value` pairs between separators.
std::string_view value_in(std::string_view pairs, std::string_view name, char separator) {
  while (!pairs.empty()) {
    const std::size_t end = std::min(pairs.find(separator), pairs.size());
    std::string_view pair = pairs.substr(0, end);
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
    pairs.remove_prefix(std::min(end + 1, pairs.size()));
  }
  return {};
}

bool is_safe_path(std::string_view path) {
  if (!path.starts_with('/') || path.find("..") != std::string_view::npos) return false;
  return std::none_of(path.begin(), path.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == 0x7f; });
}

std::string cookie_name(int port) { return "rigspace_token_" + std::to_string(port); }

}  // namespace

bool percent_decoded(std::string_view text, std::string& decoded) {
  decoded.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

bool is_plain_name(std::string_view name) {
  constexpr std::string_view kOthers = "._-() ";
  if (name.empty() || name.size() > 120 || name.front() == '.' || name.front() == ' ') return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  return difference == 0;
}

std::string cookie_of(int port, std::string_view token) {
  return cookie_name(port) + "=" + std::string(token) + "; Path=/; HttpOnly; SameSite=Strict";
}

Verdict judge(const Headers& headers, int port, std::string_view token) {
  if (!is_own(headers.host, port)) return {403, "This server answers to 127.0.0.1 and localhost alone.\n", ""};
  if (!headers.origin.empty() &&
      (!headers.origin.starts_with("http://") || !is_own(std::string_view(headers.origin).substr(7), port)))
    return {403, "Pages of other sites may not use this server.\n", ""};
  const std::string_view target = headers.target;
  const std::size_t query = std::min(target.find('?'), target.size());
  Verdict verdict;
  if (!percent_decoded(target.substr(0, query), verdict.path) || !is_safe_path(verdict.path))
    return {400, "The address is not one of this server's.\n", ""};
  const std::string_view asked = value_in(target.substr(std::min(query + 1, target.size())), "token", '&');
  const std::string_view kept = value_in(headers.cookie, cookie_name(port), ';');
  if (!same_secret(asked, token) && !same_secret(kept, token))
    return {403, "Open the address that `rigspace studio` printed: it has the key to this server.\n", ""};
  return verdict;
}

}  // namespace rigspace::studio
