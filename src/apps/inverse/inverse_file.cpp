// A trained model as one file: a line that says what it is, the checksum of the rest, then names and numbers.

#include "inverse_parts.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace rigspace {
namespace {

constexpr std::string_view kHeading = "rigspace inverse model 3\n";
constexpr std::size_t kHash = 32;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& problem, const std::string& remedy) {
  throw Error({.file = path.string(), .element = "inverse model", .problem = problem, .remedy = remedy});
}

void write_text(ByteWriter& writer, std::string_view text) {
  writer.number(static_cast<double>(text.size()));
  writer.raw(std::as_bytes(std::span(text)));
}

std::string read_text(ByteReader& reader) {
  const double size = reader.number();
  if (!(size >= 0 && size < 1e9))
    throw Error({.element = "saved text", .problem = "is cut short", .remedy = "train again"});
  const auto bytes = reader.raw(static_cast<std::size_t>(size));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_regression(ByteWriter& writer, const KernelRegression& regression) {
  const KernelSettings& settings = regression.settings();
  writer.number(static_cast<double>(settings.kernel)), writer.number(settings.length),
      writer.number(settings.smoothing);
  writer.matrix(regression.samples());
  writer.matrix(regression.coefficients());
  writer.matrix(regression.inverse());
}

KernelRegression read_regression(ByteReader& reader) {
  KernelSettings settings;
  settings.kernel = static_cast<Kernel>(std::clamp(reader.integer(), 0, static_cast<int>(std::size(kKernels)) - 1));
  settings.length = reader.number(), settings.smoothing = reader.number();
  Mat samples = reader.matrix(), coefficients = reader.matrix(), inverse = reader.matrix();
  return KernelRegression(std::move(samples), std::move(coefficients), std::move(inverse), settings);
}

void write_jacobian(ByteWriter& writer, const LearnedJacobian& learned) {
  writer.number(learned.rows()), writer.number(learned.columns());
  writer.integers(learned.entries());
  writer.matrix(learned.basis()), writer.matrix(learned.coefficients());
}

std::unique_ptr<LearnedJacobian> read_jacobian(ByteReader& reader) {
  const int rows = reader.integer(), columns = reader.integer();
  std::vector<int> entries = reader.integers();
  Mat basis = reader.matrix(), coefficients = reader.matrix();
  return std::make_unique<LearnedJacobian>(rows, columns, std::move(entries), std::move(basis),
                                           std::move(coefficients));
}

/// What a model depends on of its rig: names, rest values and units of the controls, and where the features rest.
std::string rig_stamp(const Character& character, In x_rest) {
  std::string text;
  for (const Control& control : character.rig->controls())
    text += control.name + '\n' + std::to_string(control.rest) + ' ' + std::to_string(control.typical) + '\n';
  for (const double each : x_rest) text += std::to_string(each) + ' ';
  return content_hash(text);
}

std::vector<std::byte> checked_bytes(const std::filesystem::path& path) {
  std::vector<std::byte> bytes = read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.substr(0, 23) != kHeading.substr(0, 23)) refuse(path, "is none", "make one with `rigspace inverse train`");
  if (!text.starts_with(kHeading))
    refuse(path, "is of another version of this program", "train it again with `rigspace inverse train`");
  const auto rest = std::span(bytes).subspan(std::min(bytes.size(), kHeading.size() + kHash));
  if (text.size() < kHeading.size() + kHash || content_hash(rest) != text.substr(kHeading.size(), kHash))
    refuse(path, "is damaged", "train it again with `rigspace inverse train`");
  return {rest.begin(), rest.end()};
}

}  // namespace

void InverseModel::save(const std::filesystem::path& path, const std::string& rig_file) const {
  const Parts& parts = *parts_;
  ByteWriter writer;
  write_text(writer, rig_file);
  write_text(writer, rig_stamp(parts.character, parts.x_rest));
  writer.number(static_cast<double>(parts.joints.size()));
  for (const std::string& joint : parts.joints) write_text(writer, joint);
  writer.integers(parts.points);
  writer.integers(parts.coordinates.chosen());
  writer.number(parts.origin == FrameOrigin::root ? 0 : 1);
  writer.number(parts.heading ? 1 : 0);
  write_regression(writer, parts.regression);
  writer.matrix(parts.precision);
  writer.number(parts.example_variance);
  writer.number(parts.example_count);
  writer.number(parts.relations.weight);
  std::vector<int> pairs;
  for (const auto& pair : parts.relations.pairs) pairs.insert(pairs.end(), pair.begin(), pair.end());
  writer.integers(pairs);
  writer.number(parts.learned ? 1 : 0);
  if (parts.learned) write_jacobian(writer, *parts.learned);
  writer.number(parts.local ? static_cast<double>(parts.local->cells().size()) : 0);
  if (parts.local) {
    for (const KernelRegression& cell : parts.local->cells()) write_regression(writer, cell);
    writer.matrix(parts.local->centres());
    writer.number(parts.local->blended());
  }
  std::vector<std::byte> bytes;
  const auto append = [&](std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  append(std::as_bytes(std::span(kHeading)));
  const std::string hash = content_hash(writer.bytes());
  append(std::as_bytes(std::span(hash)));
  append(writer.bytes());
  write_file(path, bytes);
}

std::string InverseModel::rig_file_of(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = checked_bytes(path);
  ByteReader reader(bytes);
  return read_text(reader);
}

InverseModel InverseModel::load(const std::filesystem::path& path, const Character& character) {
  const std::vector<std::byte> bytes = checked_bytes(path);
  ByteReader reader(bytes);
  read_text(reader);
  const std::string stamp = read_text(reader);
  std::vector<std::string> joints;
  for (double left = reader.number(); left >= 1; --left) joints.push_back(read_text(reader));
  const std::string other = "was trained on another rig than " + character.name;
  const std::string remedy = "train it again on this one, or give the rig that it was trained on";
  std::vector<int> points = reader.integers(), controls = reader.integers();
  const FrameOrigin origin = reader.integer() == 0 ? FrameOrigin::root : FrameOrigin::centroid;
  const bool heading = reader.integer() != 0;
  for (const int control : controls)
    if (control < 0 || control >= static_cast<int>(character.rig->controls().size())) refuse(path, other, remedy);
  std::unique_ptr<Parts> parts;
  try {
    parts =
        std::make_unique<Parts>(character, std::move(joints), std::move(points), std::move(controls), origin, heading);
  } catch (const Error&) {
    refuse(path, other, remedy);
  }
  if (stamp != rig_stamp(character, parts->x_rest)) refuse(path, other, remedy);
  parts->regression = read_regression(reader);
  parts->precision = reader.matrix();
  parts->example_variance = reader.number();
  parts->example_count = reader.integer();
  parts->relations.weight = reader.number();
  const std::vector<int> pairs = reader.integers();
  for (std::size_t k = 0; k + 1 < pairs.size(); k += 2) {
    if (std::max(pairs[k], pairs[k + 1]) >= parts->features.count() || std::min(pairs[k], pairs[k + 1]) < 0)
      refuse(path, "is damaged", "train it again with `rigspace inverse train`");
    parts->relations.pairs.push_back({pairs[k], pairs[k + 1]});
  }
  if (reader.integer() != 0) parts->learned = read_jacobian(reader);
  if (const int count = reader.integer(); count > 0) {
    std::vector<KernelRegression> cells;
    for (int k = 0; k < count; ++k) cells.push_back(read_regression(reader));
    Mat centres = reader.matrix();
    const int blended = reader.integer();
    parts->local = std::make_unique<LocalRegression>(std::move(cells), std::move(centres), blended);
  }
  return InverseModel(std::move(parts));
}

}  // namespace rigspace
