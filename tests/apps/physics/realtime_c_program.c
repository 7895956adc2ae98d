/* The C interface from C: that the header is C, and that mistakes end in words. */
#include "rigspace/apps/physics/realtime_c.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  double pose[1] = {0};
  rigspace_realtime_model* model = rigspace_realtime_load("no such file.glb", NULL);
  if (model != NULL || strstr(rigspace_realtime_error(), "no such file.glb") == NULL) return 1;
  if (rigspace_realtime_error_code() != 3) return 4;
  model = rigspace_realtime_load("no such file.glb", "{\"chain\": \"rods\"}"); /* refused before the file is looked for */
  if (model != NULL || rigspace_realtime_error_code() != 2) return 5;
  if (strstr(rigspace_realtime_error(), "\"chain\" is not known; did you mean \"chains\"?") == NULL) return 6;
  if (rigspace_realtime_steps(NULL) != 0 || rigspace_realtime_unconverged(NULL) != 0 ||
      rigspace_realtime_iterations(NULL) != 0 || rigspace_realtime_jacobians(NULL) != 0 ||
      rigspace_realtime_bytes(NULL) != 0)
    return 7;
  if (rigspace_realtime_create(model) != NULL || rigspace_realtime_control_count(model) != 0) return 2;
  if (rigspace_realtime_set_keyed(NULL, pose, 1) == 0 || rigspace_realtime_step(NULL, 0.1) == 0) return 3;
  rigspace_realtime_destroy(NULL);
  rigspace_realtime_release_model(model);
  printf("%s\n", rigspace_realtime_error());
  return 0;
}
