#pragma once
// A SAX handler that accepts every event. Readers of one thing override the event they need.

#include <nlohmann/json.hpp>

#include <string>

namespace rigspace {

class QuietSax : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }

 protected:
  /// The parser's message, without its own code in brackets and the position that it repeats.
  static std::string complaint(const nlohmann::detail::exception& error) {
    std::string why = error.what();
    if (const std::size_t code = why.find("] "); code != std::string::npos) why = why.substr(code + 2);
    if (const std::size_t colon = why.find(": "); why.starts_with("parse error") && colon != std::string::npos)
      why = why.substr(colon + 2);
    return why;
  }
};

}  // namespace rigspace
