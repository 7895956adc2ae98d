#include "rigspace/render/video.h"

#include "rigspace/base/error.h"
#include "rigspace/render/sheet.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace rigspace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_external(const fs::path& path, std::string problem, std::string remedy) {
  throw Error({.code = ErrorCode::external_process,
               .file = path.string(),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

std::vector<std::string> arguments(const VideoOptions& options, const std::string& extension, int width, int height,
                                   const fs::path& out) {
  std::vector<std::string> list{options.ffmpeg, "-hide_banner",
                                "-loglevel",    "error",
                                "-nostdin",     "-y",
                                "-f",           "rawvideo",
                                "-pix_fmt",     "rgb24",
                                "-s",           std::to_string(width) + "x" + std::to_string(height),
                                "-r",           std::to_string(options.frames_per_second),
                                "-i",           "pipe:0"};
  const auto append = [&](std::initializer_list<const char*> more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  if (extension == ".gif")  // one palette for the whole film
    append({"-vf", "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=sierra2_4a", "-loop", "0",
            "-f", "gif"});
  else  // 4:2:0 needs even sides
    append({"-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2", "-c:v", "libx264", "-crf", "17", "-pix_fmt", "yuv420p",
            "-movflags", "+faststart", "-f", "mp4"});
  list.push_back("file:" + out.string());  // a name is never an option or a protocol
  return list;
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

void VideoOptions::validate() const {
  picture.validate();
  framing.validate();
  if (!(frames_per_second >= 1 && frames_per_second <= 240))
    throw Error({.code = ErrorCode::usage,
                 .element = "frame rate",
                 .value = std::to_string(frames_per_second),
                 .problem = "is " + std::to_string(frames_per_second),
                 .remedy = "expected 1 to 240 frames per second"});
}

/// The running encoder. Its input is a socket, not a pipe: writing to one that has died is then an error and no signal.
struct VideoWriter::Process {
  fs::path path, beside;
  int width, height;
  pid_t child = -1;
  std::unique_ptr<Descriptor> input;
  std::unique_ptr<std::FILE, CloseFile> words{std::tmpfile()};  // its standard error

  void start(const VideoOptions& options, const std::string& extension) {
    int ends[2];
    if (!words || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      fail_external(path, std::string("cannot be written (") + std::strerror(errno) + ")",
                    "free file descriptors and temporary space");
    input = std::make_unique<Descriptor>(ends[0]);
    const Descriptor theirs(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ::fileno(words.get()), STDERR_FILENO);
    std::vector<std::string> list = arguments(options, extension, width, height, beside);
    std::vector<char*> pointers;
    for (std::string& argument : list) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const int error = ::posix_spawnp(&child, options.ffmpeg.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      child = -1;
      fail_external(path,
                    "needs the program " + options.ffmpeg + ", which cannot be started (" + std::strerror(error) + ")",
                    "install it (Debian: apt install ffmpeg), or write a PNG contact sheet instead");
    }
  }

  /// Waits for the end; the exit status, or -1.
  int wait() {
    input->close();
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    child = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[noreturn]] void fail() {
    if (child > 0) wait();
    std::string text(4096, '\0');
    std::rewind(words.get());
    text.resize(std::fread(text.data(), 1, text.size(), words.get()));
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    fail_external(path, "could not be encoded; ffmpeg says: " + (text.empty() ? std::string("nothing") : text),
                  "check the file's folder and the installed encoders");
  }

  ~Process() {
    if (child > 0) {
      ::kill(child, SIGKILL);
      wait();
    }
    std::error_code ignored;
    fs::remove(beside, ignored);
  }
};

VideoWriter::VideoWriter(fs::path path, int width, int height, const VideoOptions& options) {
  options.validate();
  const std::string extension = path.extension().string();
  if (extension != ".gif" && extension != ".mp4")
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .value = extension,
                 .problem = "is not a film by its name",
                 .remedy = "end it in .gif or .mp4"});
  if (!path.parent_path().empty() && !fs::is_directory(path.parent_path()))
    throw Error({.file = path.string(),
                 .problem = "cannot be written: its folder does not exist",
                 .remedy = "create " + path.parent_path().string()});
  process_ = std::make_unique<Process>();
  process_->path = path;
  process_->beside = path.string() + ".part" + std::to_string(::getpid());
  process_->width = width;
  process_->height = height;
  process_->start(options, extension);
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::add(const Picture& frame) {
  if (frame.width() != process_->width || frame.height() != process_->height)
    throw Error({.code = ErrorCode::internal,
                 .file = process_->path.string(),
                 .problem = "was given frames of different sizes",
                 .remedy = "give all frames one size"});
  std::span<const std::uint8_t> left = frame.bytes();
  while (!left.empty()) {
    const ssize_t sent = ::send(process_->input->get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) process_->fail();
    left = left.subspan(static_cast<std::size_t>(sent));
  }
}

void VideoWriter::finish() {
  if (process_->wait() != 0) process_->fail();
  std::error_code error;
  fs::rename(process_->beside, process_->path, error);
  if (error)
    throw Error({.file = process_->path.string(),
                 .problem = "cannot be put in place (" + error.message() + ")",
                 .remedy = "check permissions"});
}

void write_video(const fs::path& path, const Renderer& renderer, const Motion& motion, const VideoOptions& options,
                 const ProgressCallback& progress) {
  options.validate();
  const MotionView view = frame_motion(motion, static_cast<double>(options.picture.width) / options.picture.height,
                                       options.framing, options.follow);
  RenderOptions look = options.picture;
  if (!look.ground_height) look.ground_height = view.ground_height;
  VideoWriter writer(path, look.width, look.height, options);
  const int frames = static_cast<int>(motion.times.size());
  for (int k = 0; k < frames; ++k) {
    report(progress, "rendering", static_cast<double>(k) / frames);
    const Camera camera = options.camera ? options.camera(motion.times[k]) : view.camera_at(k);
    writer.add(renderer.render(motion.at(motion.times[k]), camera, look));
  }
  writer.finish();
  report(progress, "rendering", 1);
}

void write_turntable_video(const fs::path& path, const Renderer& renderer, const Snapshot& snapshot, double seconds,
                           const VideoOptions& options, const ProgressCallback& progress) {
  options.validate();
  if (!(seconds > 0 && seconds <= 3600))
    throw Error({.code = ErrorCode::usage,
                 .element = "turntable",
                 .value = std::to_string(seconds),
                 .problem = "lasts " + std::to_string(seconds) + " s",
                 .remedy = "expected more than 0 and at most an hour"});
  const int frames = std::max(1, static_cast<int>(std::lround(seconds * options.frames_per_second)));
  const auto cameras = turntable(snapshot.points, frames,
                                 static_cast<double>(options.picture.width) / options.picture.height, options.framing);
  VideoWriter writer(path, options.picture.width, options.picture.height, options);
  for (int k = 0; k < frames; ++k) {
    report(progress, "rendering", static_cast<double>(k) / frames);
    writer.add(renderer.render(snapshot, cameras[k], options.picture));
  }
  writer.finish();
  report(progress, "rendering", 1);
}

}  // namespace rigspace
