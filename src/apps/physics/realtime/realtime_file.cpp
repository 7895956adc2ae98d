#include "rigspace/apps/physics/realtime_file.h"

#include "realtime_fields.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/rig/rig_bytes.h"

#include <algorithm>
#include <cstring>

namespace rigspace {

/// Reaches into models.
struct RealtimeFile {
  static const RealtimeModel::Data& data(const RealtimeModel& model) { return *model.data_; }
  using Data = RealtimeModel::Data;
  static std::shared_ptr<const RealtimeModel> make(std::unique_ptr<Data> data) {
    return std::shared_ptr<const RealtimeModel>(new RealtimeModel(std::move(data)));
  }
};

namespace {

constexpr std::string_view kMagic = "RIGMODEL";
constexpr std::size_t kDigits = 32;  // of a content_hash
constexpr std::size_t kHead = 8 + sizeof(std::uint32_t) + sizeof(std::uint64_t) + kDigits;

/// The rigs of a model and their graphs, each once, whoever shares them.
class Rigs {
 public:
  int graph_of(const std::shared_ptr<const Rig>& rig, const std::string& name) {
    return place(graphs_, built_in(rig, name).shared_graph());
  }
  int place_of(const std::shared_ptr<const Rig>& rig, const std::string& name) {
    graph_of(rig, name);
    return place(rigs_, rig);
  }

  void pack(Packer& out, const std::string& name) const {
    out(static_cast<std::int32_t>(graphs_.size()));
    for (const auto& graph : graphs_) pack_graph(out, *graph);
    out(static_cast<std::int32_t>(rigs_.size()));
    for (const auto& rig : rigs_) {
      const BuiltInRig& each = built_in(rig, name);
      const auto graph = std::find(graphs_.begin(), graphs_.end(), each.shared_graph());
      out(static_cast<std::int32_t>(graph - graphs_.begin()));
      pack_points(out, each);
    }
  }

  void unpack(Unpacker& in) {
    const auto graphs = in.next<std::int32_t>();
    for (int g = 0; g < graphs; ++g) graphs_.push_back(unpack_graph(in));
    const auto rigs = in.next<std::int32_t>();
    for (int r = 0; r < rigs; ++r) {
      const auto graph = in.next<std::int32_t>();
      in.require(graph >= 0 && graph < std::ssize(graphs_), "a rig");
      rigs_.push_back(unpack_points(in, graphs_[static_cast<std::size_t>(graph)]));
    }
  }
  const std::shared_ptr<const ControlGraph>& graph(Unpacker& in) const { return at(graphs_, in); }
  const std::shared_ptr<const Rig>& rig(Unpacker& in) const { return at(rigs_, in); }

 private:
  static const BuiltInRig& built_in(const std::shared_ptr<const Rig>& rig, const std::string& name) {
    if (const auto* known = dynamic_cast<const BuiltInRig*>(rig.get())) return *known;
    throw Error({.file = name,
                 .problem = "has a rig that a model file does not hold",
                 .remedy = "only rigs of nodes, skins and blend shapes are held, as glTF has them"});
  }
  template <class T>
  static int place(std::vector<std::shared_ptr<const T>>& list, const std::shared_ptr<const T>& each) {
    const auto known = std::find(list.begin(), list.end(), each);
    if (known != list.end()) return static_cast<int>(known - list.begin());
    list.push_back(each);
    return static_cast<int>(list.size()) - 1;
  }
  template <class T>
  static const T& at(const std::vector<T>& list, Unpacker& in) {
    const auto place = in.next<std::int32_t>();
    in.require(place >= 0 && place < std::ssize(list), "a rig");
    return list[static_cast<std::size_t>(place)];
  }

  std::vector<std::shared_ptr<const ControlGraph>> graphs_;
  std::vector<std::shared_ptr<const Rig>> rigs_;
};

/// Bodies and the rigs that they have; an empty one, as a wide body of rods is, has none.
void pack_bodies(Packer& out, Rigs& rigs, std::span<const SteppedBody> bodies, const std::string& name) {
  out(static_cast<std::int32_t>(bodies.size()));
  for (const SteppedBody& body : bodies) {
    out(body.rig != nullptr);
    if (body.rig) out(rigs.place_of(body.rig, name), body);
  }
}

std::vector<SteppedBody> unpack_bodies(Unpacker& in, const Rigs& rigs) {
  std::vector<SteppedBody> bodies;
  const auto count = in.next<std::int32_t>();
  for (int b = 0; b < count; ++b) {
    SteppedBody& body = bodies.emplace_back();
    if (!in.next<bool>()) continue;
    body.rig = rigs.rig(in);
    in(body);
    check_body(in, body);
  }
  return bodies;
}

void pack_limbs(Packer& out, Rigs& rigs, const RealtimeTraining& training) {
  for (const std::optional<LimbMesh>& limbs : training.limbs) {
    out(limbs.has_value());
    if (limbs) out(rigs.place_of(limbs->rig, training.character.name), limbs->mesh);
  }
}

void unpack_limbs(Unpacker& in, const Rigs& rigs, RealtimeTraining& training) {
  for (std::size_t b = 0; b < training.bodies.size(); ++b) {
    std::optional<LimbMesh>& limbs = training.limbs.emplace_back();
    if (!in.next<bool>()) continue;
    limbs.emplace().rig = rigs.rig(in);
    in(limbs->mesh);
    check_limbs(in, *limbs);
  }
}

std::vector<std::byte> pack_model(const RealtimeFile::Data& data) {
  const RealtimeTraining& training = *data.training;
  const std::string& name = training.character.name;
  Packer bodies;  // after the rigs, which are known only once all bodies were asked
  Rigs rigs;
  const int graph = rigs.graph_of(training.character.rig, name);
  bodies(graph, training, static_cast<std::uint64_t>(training.instance_bytes));
  for (const std::size_t bytes : training.lower_bytes) bodies(static_cast<std::uint64_t>(bytes));
  pack_bodies(bodies, rigs, training.bodies, name), pack_bodies(bodies, rigs, training.wide, name);
  pack_limbs(bodies, rigs, training);
  bodies(data.gravity, data.settings, training.stand_in.has_value());
  if (training.stand_in) bodies(*training.stand_in);
  Packer out;
  rigs.pack(out, name);
  out.raw(bodies.bytes());
  return out.bytes();
}

void check_all(const Unpacker& in, const RealtimeFile::Data& data) {
  const RealtimeTraining& training = *data.training;
  const RealtimeSettings& settings = data.settings;
  const std::size_t bodies = training.bodies.size();
  in.require(bodies > 0 && (training.wide.empty() || training.wide.size() == bodies), "the bodies");
  for (const SteppedBody& body : training.bodies) in.require(body.rig != nullptr, "the rig of a body");
  check_training(in, training);
  in.require(settings.bodies.size() == bodies && settings.wide.size() == training.wide.size() &&
                 settings.holds.size() == bodies && settings.scaling.size() == std::ssize(training.free),
             "the settings");
  for (std::size_t b = 0; b < bodies; ++b) {
    check_settings(in, training.bodies[b], settings.bodies[b]);
    in.require(settings.holds[b].size() == training.bodies[b].groups.size(), "the settings");
    if (training.wide.empty() || !training.wide[b].rig) continue;
    in.require(training.wide[b].free == training.bodies[b].free, "a body with all elements");
    check_settings(in, training.wide[b], settings.wide[b]);
  }
}

std::unique_ptr<RealtimeFile::Data> unpack_model(Unpacker& in) {
  Rigs rigs;
  rigs.unpack(in);
  const auto training = std::make_shared<RealtimeTraining>();
  training->character.rig =
      std::make_shared<const BuiltInRig>(rigs.graph(in), Vec(), std::vector<std::shared_ptr<const Deformer>>());
  in(*training);
  training->instance_bytes = static_cast<std::size_t>(in.next<std::uint64_t>());
  for (std::size_t& bytes : training->lower_bytes) bytes = static_cast<std::size_t>(in.next<std::uint64_t>());
  training->bodies = unpack_bodies(in, rigs), training->wide = unpack_bodies(in, rigs);
  unpack_limbs(in, rigs, *training);
  auto data = std::make_unique<RealtimeFile::Data>(RealtimeFile::Data{.training = training, .contact = {}});
  in(data->gravity, data->settings);
  if (in.next<bool>()) {
    in(training->stand_in.emplace());
    training->stand_in->rig = std::dynamic_pointer_cast<const BuiltInRig>(training->character.rig);
  }
  in.require(in.rest().empty(), "its end");
  check_all(in, *data);
  if (training->stand_in) check_springs(in, *training->stand_in, *training);
  add_light_bodies(*training);
  data->settings.light = light_settings(*training, data->settings.bodies);
  return data;
}

[[noreturn]] void refuse(const std::string& name, const std::string& problem, const std::string& remedy) {
  throw Error({.file = name, .problem = problem, .remedy = remedy});
}

constexpr const char* kAgain = "train it again: rigspace train hero.glb -o hero.rigmodel";

/// What follows the head, whole and undamaged.
std::span<const std::byte> contents(std::span<const std::byte> bytes, const std::string& name) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() < kMagic.size() || std::memcmp(text, kMagic.data(), kMagic.size()) != 0)
    refuse(name, "is no trained model", "make one of a character: rigspace train hero.glb -o hero.rigmodel");
  if (bytes.size() < kHead) refuse(name, "is cut short", "copy it again");
  Unpacker head(bytes.first(kHead).subspan(kMagic.size()), name);
  const auto format = head.next<std::uint32_t>();
  const auto size = head.next<std::uint64_t>();
  if (format != kRealtimeFormat)
    refuse(
        name,
        "is of format " + std::to_string(format) + ", and this program reads format " + std::to_string(kRealtimeFormat),
        format < kRealtimeFormat ? kAgain : "update this program, or train it again with this version");
  const std::span<const std::byte> rest = bytes.subspan(kHead);
  if (rest.size() < size)
    refuse(name, "is cut short: " + std::to_string(rest.size()) + " of " + std::to_string(size) + " bytes are there",
           "copy it again");
  if (rest.size() > size || content_hash(rest) != std::string_view(text + kHead - kDigits, kDigits))
    refuse(name, "is damaged: its contents do not match its checksum", "copy it again, or train it again");
  return rest;
}

}  // namespace

std::vector<std::byte> write_realtime_model(const RealtimeModel& model) {
  const RealtimeFile::Data& data = RealtimeFile::data(model);
  if (data.contact)
    throw Error({.code = ErrorCode::usage,
                 .file = model.character().name,
                 .problem = "has a model in a world with obstacles, which a file does not hold",
                 .remedy = "write the model that it was made of"});
  std::vector<std::byte> payload;
  try {
    payload = pack_model(data);
  } catch (const Error& error) {
    ErrorInfo info = error.info();
    info.file = model.character().name;
    throw Error(info);
  }
  Packer out;
  for (const char each : kMagic) out(each);
  out(kRealtimeFormat, static_cast<std::uint64_t>(payload.size()));
  for (const char each : content_hash(payload)) out(each);
  out.raw(payload);
  return out.bytes();
}

std::shared_ptr<const RealtimeModel> read_realtime_model(std::span<const std::byte> bytes, const std::string& name) {
  Unpacker in(contents(bytes, name), name);
  return RealtimeFile::make(unpack_model(in));
}

}  // namespace rigspace
