/* The interface from C: what is no model is refused in words. */
#include <rigspace/apps/physics/realtime_c.h>

#include <string.h>

int refuses(const char* text) {
  rigspace_realtime_model* model = rigspace_realtime_load_memory(text, strlen(text), "words.rigmodel");
  if (model != NULL || rigspace_realtime_error_code() != 3) return 0;
  return strstr(rigspace_realtime_error(), "words.rigmodel: is no trained model") != NULL;
}
