/* A game loop with secondary motion, in plain C: `game hero.rigmodel` plays ten seconds of a character that runs, turns,
   jumps and is teleported, and prints how its soft parts follow. All that it reads is the one file, which was trained
   before (rigspace train hero.glb -o hero.rigmodel); all that it links is rigspace::realtime. An engine does what is in
   `frame`: the pose of its animation goes in, the pose to draw comes out, in the same array. */
#include <rigspace/apps/physics/realtime_c.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  rigspace_realtime_rig* rig;
  double* pose; /* all controls, in the model's order */
  int controls;
  int tx, ty, tz; /* of the root: where the character is */
} hero;

/* The whole file, or NULL. */
static void* read_whole(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  rewind(file);
  void* bytes = length > 0 ? malloc((size_t)length) : NULL;
  *size = bytes != NULL ? fread(bytes, 1, (size_t)length, file) : 0;
  fclose(file);
  return bytes;
}

/* The first control whose name ends so: nodes come parents first, so that it is the root's. */
static int find_ending(const rigspace_realtime_model* model, const char* ending) {
  for (int c = 0; c < rigspace_realtime_control_count(model); ++c) {
    const char* name = rigspace_realtime_control_name(model, c);
    const size_t length = strlen(name), tail = strlen(ending);
    if (length >= tail && strcmp(name + length - tail, ending) == 0) return c;
  }
  return -1;
}

static int make_hero(hero* made, const rigspace_realtime_model* model) {
  made->controls = rigspace_realtime_control_count(model);
  made->rig = rigspace_realtime_create(model);
  made->pose = malloc(sizeof(double) * (size_t)made->controls);
  if (made->rig == NULL || made->pose == NULL) return 0;
  for (int c = 0; c < made->controls; ++c) made->pose[c] = rigspace_realtime_control_rest(model, c);
  made->tx = find_ending(model, ".tx"), made->ty = find_ending(model, ".ty"), made->tz = find_ending(model, ".tz");
  return made->tx >= 0 && made->ty >= 0 && made->tz >= 0;
}

/* What the engine's own animation does with the character at a time, here: it runs in a circle and hops. */
static void animate(hero* character, const double* rest, double time, double size) {
  const double angle = 1.5 * time;
  character->pose[character->tx] = rest[character->tx] + size * (cos(angle) - 1);
  character->pose[character->tz] = rest[character->tz] + size * sin(angle);
  character->pose[character->ty] = rest[character->ty] + 0.08 * size * fabs(sin(6 * time));
}

/* One frame. Returns 0, or the code of an error. */
static int frame(hero* character, double seconds) {
  int failed = rigspace_realtime_set_keyed(character->rig, character->pose, character->controls);
  if (failed == 0) failed = rigspace_realtime_step(character->rig, seconds);
  if (failed == 0) failed = rigspace_realtime_apply(character->rig, character->pose, character->controls);
  return failed;
}

static int complain(void) { return fprintf(stderr, "%s\n", rigspace_realtime_error()), 1; }

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "game hero.rigmodel\n"), 2;
  size_t size = 0;
  void* bytes = read_whole(argv[1], &size);
  if (bytes == NULL) return fprintf(stderr, "%s: cannot be read\n", argv[1]), 3;
  rigspace_realtime_model* model = rigspace_realtime_load_memory(bytes, size, argv[1]);
  free(bytes);
  if (model == NULL) return complain();

  hero character;
  if (!make_hero(&character, model)) return complain();
  const int free_count = rigspace_realtime_free_count(model);
  double* rest = malloc(sizeof(double) * (size_t)character.controls);
  if (rest == NULL) return 1;
  memcpy(rest, character.pose, sizeof(double) * (size_t)character.controls);
  printf("%d of %d controls are simulated, %.0f ms late; %.1f MB\n", free_count, character.controls,
         1e3 * rigspace_realtime_latency(model), 1e-6 * (double)rigspace_realtime_bytes(character.rig));

  double time = 0, farthest = 0;
  for (int k = 0; k < 600; ++k) {
    const double seconds = k % 20 == 0 ? 1.0 / 30 : 1.0 / 60; /* now and then a frame is late */
    time += seconds;
    animate(&character, rest, k < 300 ? time : time + 1, 1.0);
    if (k == 300) rigspace_realtime_teleport(character.rig); /* a cut: no jolt from the jump in the pose */
    if (frame(&character, seconds) != 0) return complain();
    for (int i = 0; i < free_count; ++i) {
      const int c = rigspace_realtime_free_control(model, i);
      const double away = fabs(character.pose[c] - rest[c]);
      if (!isfinite(character.pose[c])) return fprintf(stderr, "control %d is not finite\n", c), 1;
      if (away > farthest) farthest = away;
    }
  }
  printf("after %.1f s and %lld steps: at most %.3f from the animation; %lld steps did not converge\n", time,
         rigspace_realtime_steps(character.rig), farthest, rigspace_realtime_unconverged(character.rig));
  rigspace_realtime_destroy(character.rig);
  rigspace_realtime_release_model(model);
  free(character.pose), free(rest);
  return farthest > 1e-4 && farthest < 10 ? 0 : 1;
}
