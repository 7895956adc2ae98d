#pragma once
// Which requests the studio's server accepts: those to this machine by its own name, from pages of this server, with
// the token of the run. Pure functions, so that tests and fuzzers reach them without a network.

#include <string>
#include <string_view>

namespace rigspace::studio {

/// The parts of a request on which the decision depends.
struct Headers {
  std::string method, target, host, origin, cookie;
};

struct Verdict {
  int status = 200;
  std::string sentence;  ///< shown to the user if the status is not 200
  std::string path;      ///< decoded, without the query
};

/// Refused are: a foreign Host (a name whose DNS entry points to this machine), a foreign Origin (a page of another
/// site), a path with "..", a backslash or a control character, and a request without the token, as `?token=` or in the
/// cookie.
Verdict judge(const Headers& headers, int port, std::string_view token);

/// Decodes "%2e" to "."; false if two hexadecimal digits do not follow a %.
bool percent_decoded(std::string_view text, std::string& decoded);

/// Letters, digits, spaces and . _ - ( ), at most 120, not beginning with a dot.
bool is_plain_name(std::string_view name);

/// Compares in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

std::string cookie_of(int port, std::string_view token);

/// Scripts and styles are inside the page; it may connect to its own server and use pictures that it made itself.
inline constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; worker-src blob:; "
    "img-src 'self' data: blob:; media-src blob:; connect-src 'self' data: blob:; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'";

}  // namespace rigspace::studio
