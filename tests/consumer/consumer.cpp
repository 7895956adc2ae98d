// Uses the installed library as a stranger would: no AVX flags, no private headers. Memory crosses the border both
// ways.
#include <rigspace/cast/cast.h>
#include <rigspace/io/gltf.h>
#include <rigspace/optimize/nnls.h>

#include <cstdio>

int main() {
  using namespace rigspace;
  const Character made = make_character(cast().front().name);
  const Character read = load_gltf(to_glb(made), "made.glb");
  Vec s;
  read.rig->evaluate(*read.rig->make_workspace(), pose_at(read, read.clip("Walk"), 0.5), s);
  std::printf("%s: %d points, the first at %.3f %.3f %.3f\n", made.name.c_str(), read.rig->point_count(), s[0], s[1],
              s[2]);
  return s.allFinite() && s.size() > 0 ? 0 : 1;
}
