#pragma once
// From dense motion to few cubic keys, as an artist would have set them. What counts as an error is what the eye sees:
// the distance between the surface moved by the source and the surface moved by the fit.

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"

#include <span>

namespace rigspace {

struct CurveFitOptions {
  double tolerance = 1e-3;  ///< largest difference at a frame, in the curve's unit; positive
  bool loop = false;        ///< the curve repeats, perhaps moved each turn: its slopes are equal at both ends

  void validate() const;
};

/// Few cubic keys through a dense curve, whose own keys are the frames and whose interpolation gives the values between
/// them. Every key of the result is a frame, with the value there. Laws:
///   - at a frame the fit is within the tolerance; between two keys it is within the range of the frames there, widened
///     by the tolerance, so that noise makes no oscillation;
///   - where frames only rise, or only fall, so does the fit;
///   - stretches of equal frames are constant, to the bit; a jump from one frame to the next stays one;
///   - in- and out-slope of a key are equal, but at corners of the source;
///   - the least number of keys for these laws, but for a bound on how many ways to reach a key are kept in the search.
/// A source of steps is returned as it is; a constant becomes one linear key. Before and after are kept.
Curve fit_curve(const Curve& frames, const CurveFitOptions& options = {});

struct KeyFittingOptions {
  double tolerance = 1e-3;  ///< largest error on the surface, as a share of the height; positive
  double rate = 0;          ///< frames a second; 0: the frames of the source, which are the keys of its densest track
  /// tx ty tz of a node get keys at common times, and so do sx sy sz and the morphs of a mesh: glTF keeps them
  /// together.
  bool share_times = false;
  bool refine = true;  ///< look longer for tracks that can do with fewer keys still: a few in a hundred
  ProgressCallback progress;

  void validate() const;
};

/// Where and how far two motions of a surface differ most.
struct SurfaceError {
  double distance = 0;  ///< scene units
  double time = 0;      ///< seconds
  int point = -1;       ///< of the rig; -1 if they are equal
};

struct KeyFitting {
  Animation animation;  ///< the source's tracks in their order, hermite but for steps and constants
  int keys_before = 0;  ///< of the source; a key of an orientation counts once
  int keys_after = 0;
  double height = 0;             ///< of the rest pose, scene units; at least a quarter of its longest side
  SurfaceError error;            ///< over all points, at frames and, by the law of fit_keys, half-way between them
  bool loop = false;             ///< the source repeats, and so does the fit: slopes are equal at both ends
  bool within_tolerance = true;  ///< false if not even a key at every frame was enough

  double share() const { return height > 0 ? error.distance / height : 0; }  ///< of the height
};

/// Few cubic keys for a clip on a rig, of which only evaluate, jacobian and restricted are used. The tolerance is
/// shared out among the controls by how far each moves the surface and how many keys it needs, then checked, and the
/// shares are changed until the whole is just within it. Orientations are fitted by components and normalised, as glTF
/// plays CUBICSPLINE. The same bits for any number of threads.
///
/// Between two frames a baked source leaves the value open: it counts as right if it lies between the source, the
/// straight line, the smooth and the monotone curve through the frames, and the error is the distance to the nearest
/// such pose. So it may be less than surface_error to the source as it is played, at frames never.
///
/// Tracks whose control the rig lacks are kept as they are. Throws Error if the options or a curve are not valid.
KeyFitting fit_keys(const Rig& rig, const Animation& animation, const KeyFittingOptions& options = {});
KeyFitting fit_keys(const Character& character, const Animation& animation, const KeyFittingOptions& options = {});

/// How many keys a clip has; one of an orientation counts once.
int key_count(const Animation& animation);

/// The times, in seconds, at which a baked clip was sampled: the keys of its densest track, 0 and the duration, with
/// gaps filled evenly; 30 frames a second where no track is dense.
std::vector<double> source_frames(const Animation& animation);

/// The largest distance between the surface moved by two clips, at these times.
SurfaceError surface_error(const Rig& rig, const Animation& a, const Animation& b, std::span<const double> times);

/// The height of a rig's rest pose, scene units; at least a quarter of its longest side.
double rest_height(const Rig& rig);

}  // namespace rigspace
