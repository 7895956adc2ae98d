#pragma once
/* Secondary motion for engines, in C: realtime_rig.h without exceptions and without C++.

   A model is a character's parts, trained once; a rig is one character in the game. Functions that return int return 0,
   or an exit code of the library when something is wrong (2 usage, 3 bad input, 1 anything else); those that return a
   pointer return NULL. rigspace_realtime_error says what was wrong. Nothing is thrown, nothing is printed.

   A model may be used from many threads at once, a rig by one at a time. Stepping takes no lock and allocates nothing.

   A game links rigspace::realtime and ships models that were trained before (rigspace_realtime_load_memory). Only
   rigspace_realtime_load and rigspace_realtime_save need the whole library, rigspace::apps_physics.
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rigspace_realtime_model rigspace_realtime_model;
typedef struct rigspace_realtime_rig rigspace_realtime_rig;

/* The last error on this thread, one sentence; empty if there was none. Valid until the next call on the thread. */
const char* rigspace_realtime_error(void);

/* Its exit code: 2 usage, 3 bad input, 1 anything else; 0 if there was none. */
int rigspace_realtime_error_code(void);

/* A model from the contents of a file that `rigspace train` or rigspace_realtime_save wrote: milliseconds; nothing else
   is read, and the bytes may be freed afterwards. `name`, of the file, begins messages; NULL: "model". */
rigspace_realtime_model* rigspace_realtime_load_memory(const void* bytes, size_t size, const char* name);
/* Writes such a file. */
int rigspace_realtime_save(const rigspace_realtime_model* model, const char* path);

/* Loads a .glb, .gltf or .rig.json, gives its parts flesh and trains them; seconds, unless the cache has it. `settings`
   is JSON, or NULL for what `rigspace simulate FILE` does without options: the same parts, unit, flesh and rates.
     {"parts": ["pelvis,spine*=belly", "tail*=tail"],          patterns and presets, as `rigspace simulate --part`
      "looks": {"belly": {"rate": 2, "amount": 1.2}},          fields of PartSettings, by the name of the part
      "chains": "auto", "soft": "auto",                        as --chains and --soft
      "tune_on": "Walk", "tune": true,                         the clip on which rates are found; false: from sizes
      "metres_per_unit": 0,                                    as --unit; 0: guessed
      "step": 0.008333, "window": 0.041667, "max_substeps": 8, "max_iterations": 30, "tolerance": 0.0003,
      "teleport_speed": 60, "snap_speed": 8, "poisson": 0.4, "use_cache": true, "widen": false,
      "springs": false}                                                                   see RealtimeOptions
   A setting that is not known is an error of code 2. */
rigspace_realtime_model* rigspace_realtime_load(const char* path, const char* settings);
/* Rigs made from the model may still be used: the shared data lives until the last of them is destroyed. */
void rigspace_realtime_release_model(rigspace_realtime_model* model);

/* All controls of the rig, soft joints included: a pose has a value for each, in this order. */
int rigspace_realtime_control_count(const rigspace_realtime_model* model);
const char* rigspace_realtime_control_name(const rigspace_realtime_model* model, int control);
double rigspace_realtime_control_rest(const rigspace_realtime_model* model, int control);
/* The simulated controls, ascending, as indices into all controls. */
int rigspace_realtime_free_count(const rigspace_realtime_model* model);
int rigspace_realtime_free_control(const rigspace_realtime_model* model, int k);
double rigspace_realtime_latency(const rigspace_realtime_model* model); /* s */

/* A new rig in the rest pose, with zero velocity. */
rigspace_realtime_rig* rigspace_realtime_create(const rigspace_realtime_model* model);
/* One that begins at a level and has no finer one: see RealtimeLevel. */
rigspace_realtime_rig* rigspace_realtime_create_at(const rigspace_realtime_model* model, int level);
void rigspace_realtime_destroy(rigspace_realtime_rig* rig);

/* Sets this pose without deviation, see RealtimeRig::reset. */
int rigspace_realtime_reset(rigspace_realtime_rig* rig, const double* pose, int count);
/* The animation's pose at the end of the next step. One array may serve set_keyed and apply: a simulated control that
   still has the value which apply or read gave last, to the precision of a float, counts as not keyed and keeps its
   last key, see RealtimeRig::set_keyed. */
int rigspace_realtime_set_keyed(rigspace_realtime_rig* rig, const double* pose, int count);
/* Marks the next pose as a jump: no velocity or inertia is taken from the change to it. */
int rigspace_realtime_teleport(rigspace_realtime_rig* rig);
int rigspace_realtime_step(rigspace_realtime_rig* rig, double seconds);

/* Levels of detail: 0 full, 1 light, 2 springs ("springs": true), see RealtimeRig::set_level. */
int rigspace_realtime_set_level(rigspace_realtime_rig* rig, int level);
/* The most seconds that a step may take, 0 for any, see RealtimeRig::set_budget. */
int rigspace_realtime_set_budget(rigspace_realtime_rig* rig, double seconds);

/* Reads the values of the simulated controls, in the order of free_control; apply writes them into a whole pose. */
int rigspace_realtime_read(const rigspace_realtime_rig* rig, double* values, int count);
int rigspace_realtime_apply(rigspace_realtime_rig* rig, double* pose, int count);
/* 1: the deviation is larger than in training. */
int rigspace_realtime_outside_training(const rigspace_realtime_rig* rig);
/* 1: some part is stepped with all its elements, since it is outside its training ("widen"). */
int rigspace_realtime_widened(const rigspace_realtime_rig* rig);

/* Counts since the last reset: grid steps, those of them whose solve did not converge, iterations of Newton's method,
   Jacobians of the rig. Bytes of memory of the rig, 0 where malloc gives no figure. All 0 of NULL. */
long long rigspace_realtime_steps(const rigspace_realtime_rig* rig);
long long rigspace_realtime_unconverged(const rigspace_realtime_rig* rig);
long long rigspace_realtime_iterations(const rigspace_realtime_rig* rig);
long long rigspace_realtime_jacobians(const rigspace_realtime_rig* rig);
long long rigspace_realtime_bytes(const rigspace_realtime_rig* rig);

#ifdef __cplusplus
}
#endif
