/* A character of the cast stepped in real time through the C interface, its simulated controls on standard output: for
   tests/compare/compare_commits.py, which builds it against two commits. The keyed motion is a sum of sines on the
   controls that are not simulated. */
#include <rigspace/apps/physics/realtime_c.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  rigspace_realtime_model* model = argc > 1 ? rigspace_realtime_load(argv[1], NULL) : NULL;
  if (model == NULL) return fprintf(stderr, "%s\n", rigspace_realtime_error()), 1;
  const int controls = rigspace_realtime_control_count(model), count = rigspace_realtime_free_count(model);
  double *pose = malloc(sizeof(double) * (size_t)controls), *values = malloc(sizeof(double) * (size_t)(count + 1));
  rigspace_realtime_rig* rig = rigspace_realtime_create(model);
  for (int frame = 0; frame < 120; ++frame) {
    for (int c = 0; c < controls; ++c) {
      const char* name = rigspace_realtime_control_name(model, c);
      pose[c] = rigspace_realtime_control_rest(model, c);
      for (const char* end = name; *end; ++end)
        if (end[0] == '.' && end[1] == 't' && end[3] == 0) pose[c] += 0.02 * sin(0.13 * frame + 0.7 * end[2]);
    }
    if (rigspace_realtime_set_keyed(rig, pose, controls) != 0 || rigspace_realtime_step(rig, 1.0 / 60) != 0 ||
        rigspace_realtime_read(rig, values, count) != 0)
      return fprintf(stderr, "%s\n", rigspace_realtime_error()), 1;
    for (int k = 0; k < count; ++k) printf("%.17g%c", values[k], k + 1 < count ? ' ' : '\n');
  }
  rigspace_realtime_destroy(rig);
  rigspace_realtime_release_model(model);
  free(pose), free(values);
  return 0;
}
