// Uses the installed library as a stranger would: no AVX flags, no private headers. Memory crosses the border both
// ways: what was made here is copied, read and freed there, and what holds Vec4, Quat and Affine has one alignment.
#include <rigspace/base/error.h>
#include <rigspace/base/files.h>
#include <rigspace/cast/cast.h>
#include <rigspace/io/gltf.h>
#include <rigspace/optimize/nnls.h>
#include <rigspace/parts/part.h>

#include <cstdio>

int main(int, char** arguments) {
  using namespace rigspace;
  const Character made = make_character(cast().front().name);
  const auto bytes = to_glb(made);
  write_file(arguments[1], bytes);  // for the README, which reads hero.glb
  const Character read = load_gltf(bytes, "made.glb");
  Vec s;
  read.rig->evaluate(*read.rig->make_workspace(), pose_at(read, read.clip("Walk"), 0.5), s);
  std::printf("%s: %d points, the first at %.3f %.3f %.3f\n", made.name.c_str(), read.rig->point_count(), s[0], s[1],
              s[2]);
  const Character copy = read;  // its pieces and tracks have vectors of Vec4: copied here, read there
  const std::size_t parts = find_parts(copy).size();
  std::printf("%zu parts; a Vec4 is aligned to %zu bytes\n", parts, alignof(Vec4));
  if (parts == 0 || parts != find_parts(read).size()) return 1;
  try {  // what the README would do with a name that no control has
    BlockJacobian J;
    const std::vector<int> free = {read.rig->find("no such control")};
    read.rig->jacobian(*read.rig->make_workspace(), read.rig->rest(), free, J);
    return 2;
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
  }
  return s.allFinite() && s.size() > 0 ? 0 : 3;
}
