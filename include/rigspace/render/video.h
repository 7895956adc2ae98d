#pragma once
// Films: frames are piped to ffmpeg as they are made. Where ffmpeg is missing there is one clear Error.

#include "rigspace/base/progress.h"
#include "rigspace/render/motion.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace rigspace {

struct VideoOptions {
  RenderOptions picture{.width = 480, .height = 480};
  FramingOptions framing;
  double frames_per_second = 24;                   ///< 1 to 240
  bool follow = false;                             ///< see frame_motion
  std::function<Camera(double time)> camera = {};  ///< where it stands at a time, in place of the framing; or empty
  std::string ffmpeg = "ffmpeg";                   ///< the program: a name to look for, or a path

  void validate() const;
};

/// Writes .gif or .mp4, chosen by the extension. The file appears when finish() returns; otherwise nothing is left.
class VideoWriter {
 public:
  /// Throws Error (external_process) if ffmpeg cannot be started, (usage) for another extension.
  VideoWriter(std::filesystem::path path, int width, int height, const VideoOptions& options = {});
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// All frames are of one size. Throws Error with ffmpeg's own words if it gave up.
  void add(const Picture& frame);
  void finish();

 private:
  struct Process;
  std::unique_ptr<Process> process_;
};

/// All moments of a motion, which should lie 1 / frames_per_second apart.
void write_video(const std::filesystem::path& path, const Renderer& renderer, const Motion& motion,
                 const VideoOptions& options = {}, const ProgressCallback& progress = {});

/// One full turn around a pose, `seconds` long; repeats without a seam.
void write_turntable_video(const std::filesystem::path& path, const Renderer& renderer, const Snapshot& snapshot,
                           double seconds, const VideoOptions& options = {}, const ProgressCallback& progress = {});

}  // namespace rigspace
