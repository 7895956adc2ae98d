#pragma once
// Messages between page and server: JSON, read with errors that name what is wrong.

#include "rigspace/base/error.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rigspace::studio {

using Json = nlohmann::ordered_json;

/// The arguments of a command. Every reader throws Error that names the field and what was expected.
class Arguments {
 public:
  explicit Arguments(const Json& message) : message_(message) {}

  bool has(const char* field) const;  ///< and it is not null
  bool is_number(const char* field) const;
  bool is_null(const char* field) const;  ///< it is there, as null
  std::string text(const char* field, std::size_t most = 4096) const;
  std::string text_or(const char* field, std::string otherwise) const;
  double number(const char* field, double least, double most) const;
  int integer(const char* field, int least, int most) const;
  bool flag(const char* field) const;
  std::vector<double> numbers(const char* field, std::size_t most) const;
  std::vector<std::string> texts(const char* field, std::size_t most) const;
  /// A list of objects, or an object: as it is.
  const Json& list(const char* field, std::size_t most) const;
  const Json& object(const char* field, std::size_t most) const;

 private:
  const Json& at(const char* field) const;
  const Json& message_;
};

[[noreturn]] void refuse(std::string element, std::string value, std::string problem, std::string remedy);

Json to_json(const ErrorInfo& error, const std::string& sentence);

/// As text, with what is no UTF-8 replaced: never throws.
std::string written(const Json& json);

}  // namespace rigspace::studio
