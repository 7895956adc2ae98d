# rigspace::realtime: what a game needs to step models that were trained before (realtime_file.h, realtime_c.h), and
# nothing else: no training, no files, no threads, no library but Eigen's headers. Its sources are those of the rooms,
# compiled for machines of players: x86-64-v2, with the kernels of flesh for AVX2 too, chosen when the program runs.
set(RIGSPACE_REALTIME_MARCH "x86-64-v2" CACHE STRING "Value for -march of rigspace::realtime; empty for the compiler's default")

set(RIGSPACE_REALTIME_SOURCES
  apps/physics/realtime/realtime_body.cpp apps/physics/realtime/realtime_c.cpp apps/physics/realtime/realtime_changes.cpp
  apps/physics/realtime/light_body.cpp apps/physics/realtime/realtime_checks.cpp apps/physics/realtime/realtime_file.cpp
  apps/physics/realtime/realtime_levels.cpp apps/physics/realtime/realtime_light.cpp apps/physics/realtime/realtime_loads.cpp
  apps/physics/realtime/realtime_quick.cpp apps/physics/realtime/spring_stand_in.cpp
  apps/physics/realtime/realtime_model_data.cpp apps/physics/realtime/realtime_past.cpp apps/physics/realtime/realtime_rig.cpp
  apps/physics/run/contact_body.cpp
  apps/physics/run/drive_meter.cpp
  anim/slerp.cpp base/cancel_scope.cpp base/content_hash.cpp base/decompositions.cpp base/error.cpp base/progress.cpp base/require.cpp
  body/deferred_jacobian.cpp body/element_projection.cpp body/linear_rig.cpp body/linear_rig_mapping.cpp
  body/point_ties.cpp body/response_rows.cpp body/rig_lineariser.cpp body/rig_predictor.cpp body/state_history.cpp
  body/step_terms.cpp body/stepped_body.cpp
  energy/collider.cpp energy/contact.cpp energy/contact_find.cpp energy/damping.cpp energy/gravity.cpp
  energy/integrator.cpp energy/limit.cpp energy/material.cpp energy/momentum.cpp energy/obstacle_contact.cpp
  energy/point_prior.cpp energy/rods.cpp energy/solid.cpp energy/solid_evaluate.cpp energy/solid_volume.cpp
  geometry/bvh.cpp geometry/closest_point.cpp geometry/collision_pairs.cpp geometry/element_distance.cpp
  geometry/region_frames.cpp geometry/tet_mesh.cpp geometry/topology.cpp geometry/tri_mesh.cpp geometry/weld.cpp geometry/winding_number.cpp
  optimize/dense_kernels.cpp optimize/dense_system.cpp optimize/energy.cpp optimize/line_search.cpp
  optimize/mapping_defaults.cpp optimize/newton.cpp optimize/nnls.cpp optimize/objective.cpp optimize/summary.cpp optimize/system.cpp
  rig/blend_shapes.cpp rig/built_in_followers.cpp rig/built_in_rig.cpp rig/control.cpp rig/deformer.cpp
  rig/differences.cpp rig/graph.cpp rig/graph_slots.cpp rig/jacobian.cpp rig/jacobian_memory.cpp rig/jacobian_model.cpp rig/kriging.cpp
  rig/linear_blend_skin.cpp rig/picked_rig.cpp rig/rig.cpp rig/rig_bytes.cpp rig/rotations.cpp rig/skeleton.cpp
  rig/skin.cpp)

# rigspace::realtime itself, and the component of that name for find_package and `cmake --install --component`.
function(rigspace_realtime_library)
  list(TRANSFORM RIGSPACE_REALTIME_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/)
  # Loops on the calling thread alone: steps are serial in any case, and TBB is not needed.
  add_library(rigspace_realtime STATIC ${PROJECT_SOURCE_DIR}/src/base/parallel.cpp ${RIGSPACE_REALTIME_SOURCES})
  target_compile_definitions(rigspace_realtime PRIVATE RIGSPACE_ONE_THREAD
    PUBLIC EIGEN_MAX_ALIGN_BYTES=32 EIGEN_MAX_STATIC_ALIGN_BYTES=32)
  target_compile_features(rigspace_realtime PUBLIC cxx_std_20)
  target_include_directories(rigspace_realtime PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(room base optimize geometry rig anim energy body apps/physics)
    target_include_directories(rigspace_realtime PRIVATE ${PROJECT_SOURCE_DIR}/src/${room})
  endforeach()
  target_link_libraries(rigspace_realtime PUBLIC Eigen3::Eigen PRIVATE $<BUILD_INTERFACE:rigspace_xxhash>)
  target_compile_options(rigspace_realtime PRIVATE $<TARGET_PROPERTY:rigspace_build_flags,INTERFACE_COMPILE_OPTIONS>
    $<$<BOOL:${RIGSPACE_REALTIME_MARCH}>:-march=${RIGSPACE_REALTIME_MARCH}>)
  target_link_options(rigspace_realtime PUBLIC $<BUILD_INTERFACE:$<TARGET_PROPERTY:rigspace_build_flags,INTERFACE_LINK_OPTIONS>>)
  target_precompile_headers(rigspace_realtime PRIVATE <Eigen/Core> <Eigen/Geometry> <algorithm> <memory> <span> <string> <vector>)
  set_target_properties(rigspace_realtime PROPERTIES UNITY_BUILD ${RIGSPACE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  # It and the rooms define the same functions: a program has the one or the other, and CMake says so.
  set_target_properties(rigspace_realtime PROPERTIES EXPORT_NAME realtime
    INTERFACE_RIGSPACE_LIBRARY realtime COMPATIBLE_INTERFACE_STRING RIGSPACE_LIBRARY)
  set_target_properties(rigspace_flags PROPERTIES INTERFACE_RIGSPACE_LIBRARY rooms COMPATIBLE_INTERFACE_STRING RIGSPACE_LIBRARY)
  add_library(rigspace::realtime ALIAS rigspace_realtime)
  include(GNUInstallDirs)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/rigspace)
  install(TARGETS rigspace_realtime EXPORT rigspace-realtime COMPONENT realtime)
  install(EXPORT rigspace-realtime NAMESPACE rigspace:: DESTINATION ${folder} FILE rigspace-realtime-targets.cmake COMPONENT realtime)
endfunction()
