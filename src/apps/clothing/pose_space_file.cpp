// A database as one file: 64 bytes of what it is, the tables, the vectors. All numbers as this kind of machine has
// them.
#include "rigspace/apps/clothing/pose_space_database.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <array>
#include <cstring>

namespace rigspace {
namespace {

constexpr std::array<char, 16> kDatabaseMark = {'r', 'i', 'g', 's', 'p', 'a', 'c',  'e',
                                                ' ', 'c', 'l', 'o', 't', 'h', '\n', '\0'};
constexpr std::uint32_t kDatabaseVersion = 1;

struct DatabaseHead {
  std::array<char, 16> mark = kDatabaseMark;
  std::uint32_t version = kDatabaseVersion, unused = 0;
  std::uint64_t tables = 0;       // bytes, a multiple of 64
  std::array<char, 32> checksum;  // of all that follows
};
static_assert(sizeof(DatabaseHead) == 64);

std::span<const std::byte> text_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

void PoseSpaceDatabase::save(const std::filesystem::path& path) const {
  ByteWriter tables;
  tables.number(static_cast<double>(garment_.size()));
  tables.raw(text_bytes(garment_));
  tables.number(points_);
  tables.values(parameters_.mean());
  tables.matrix(parameters_.axes());
  tables.values(parameters_.deviations());
  tables.number(parameters_.explained());
  tables.matrix(places_);
  tables.integers(std::vector<int>(first_.begin(), first_.end()));
  std::vector<std::byte> file(sizeof(DatabaseHead));
  file.insert(file.end(), tables.bytes().begin(), tables.bytes().end());
  file.resize((file.size() + 63) / 64 * 64);
  DatabaseHead head;
  head.tables = file.size() - sizeof head;
  const auto vectors = std::as_bytes(std::span(data_.get(), 3 * static_cast<std::size_t>(points_) * first_.back()));
  file.insert(file.end(), vectors.begin(), vectors.end());
  const std::string checksum = content_hash(std::span(file).subspan(sizeof head));
  std::copy_n(checksum.begin(), head.checksum.size(), head.checksum.begin());
  std::memcpy(file.data(), &head, sizeof head);
  write_file(path, file);
}

PoseSpaceDatabase PoseSpaceDatabase::load(const std::filesystem::path& path, std::string_view garment) {
  const MappedFile mapped(path);
  const auto bytes = mapped.bytes();
  const auto refuse = [&](std::string problem, std::string remedy) {
    throw Error({.file = path.string(), .problem = std::move(problem), .remedy = std::move(remedy)});
  };
  DatabaseHead head;
  if (bytes.size() < sizeof head) refuse("is no database of a garment", "make one: rigspace cloth train");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.mark != kDatabaseMark) refuse("is no database of a garment", "make one: rigspace cloth train");
  if (head.version != kDatabaseVersion)
    refuse("is a database of version " + std::to_string(head.version) + ", and this program reads " +
               std::to_string(kDatabaseVersion),
           "train it again");
  const auto body = bytes.subspan(sizeof head);
  const std::string checksum = content_hash(body);
  if (head.tables > body.size() || !std::equal(checksum.begin(), checksum.end(), head.checksum.begin()))
    refuse("is cut short or damaged: its checksum does not fit", "train it again, or copy it again");
  PoseSpaceDatabase database;
  ByteReader tables(body.first(head.tables));
  database.garment_.resize(static_cast<std::size_t>(tables.number()));
  for (char& each : database.garment_) each = static_cast<char>(tables.raw(1)[0]);
  database.points_ = static_cast<int>(tables.number());
  const Vec mean = tables.values();
  const Mat axes = tables.matrix();
  const Vec deviations = tables.values();
  database.parameters_ = PoseParameters(mean, axes, deviations, tables.number());
  database.places_ = tables.matrix();
  for (const int each : tables.integers()) database.first_.push_back(static_cast<std::size_t>(each));
  if (!garment.empty() && database.garment_ != garment)
    refuse("is the database of another garment, or of this one before it was changed", "train it on this garment");
  const auto vectors = body.subspan(head.tables);
  if (vectors.size() != sizeof(float) * 3 * static_cast<std::size_t>(database.points_) * database.first_.back())
    refuse("is cut short or damaged", "train it again, or copy it again");
  database.data_ = {std::make_shared<MappedFile>(mapped), reinterpret_cast<const float*>(vectors.data())};
  database.measure_radius();
  return database;
}

}  // namespace rigspace
