# A room is a folder of the library: include/rigspace/<room> and src/<room>. Each is a static library of its own.

add_library(rigspace_flags INTERFACE)
target_include_directories(rigspace_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
# Eigen's alignment is part of our interface: a consumer built without AVX must allocate as we do.
target_compile_definitions(rigspace_flags INTERFACE EIGEN_MAX_ALIGN_BYTES=32 EIGEN_MAX_STATIC_ALIGN_BYTES=32)
target_compile_features(rigspace_flags INTERFACE cxx_std_20)

add_library(rigspace_build_flags INTERFACE)
# GCC 12 warns of missing fields in designated initialisers, and of overflows that are not there.
target_compile_options(rigspace_build_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -Wno-stringop-overflow
  $<$<BOOL:${RIGSPACE_MARCH}>:-march=${RIGSPACE_MARCH}>)
if(RIGSPACE_SANITIZE)
  target_compile_options(rigspace_build_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(rigspace_build_flags INTERFACE -fsanitize=address,undefined)
endif()

set(RIGSPACE_ROOMS "" CACHE INTERNAL "")

function(rigspace_room room)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  string(REPLACE "/" "_" name ${room})  # apps/physics: rigspace_apps_physics
  set(target rigspace_${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC rigspace_flags PRIVATE $<BUILD_INTERFACE:rigspace_build_flags>)
    target_link_libraries(${target} ${arg_LINK})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src/${room})  # folders inside a room see each other
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${RIGSPACE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
    if(room STREQUAL "base")
      target_precompile_headers(${target} PRIVATE <Eigen/Core> <Eigen/Geometry> <algorithm> <memory> <span> <string> <vector>)
    else()
      target_precompile_headers(${target} REUSE_FROM rigspace_base)
    endif()
    set(RIGSPACE_ROOMS ${RIGSPACE_ROOMS} ${target} CACHE INTERNAL "")
  else()
    add_library(${target} INTERFACE)
    string(REPLACE "PUBLIC" "INTERFACE" link "${arg_LINK}")
    string(REPLACE "PRIVATE" "INTERFACE" link "${link}")
    target_link_libraries(${target} INTERFACE rigspace_flags ${link})
    set(RIGSPACE_ROOMS ${RIGSPACE_ROOMS} ${target} CACHE INTERNAL "")
  endif()
  add_library(rigspace::${name} ALIAS ${target})
endfunction()

# rigspace::rigspace, everything but pictures; and what `cmake --install` puts where find_package(rigspace) finds it. Nothing of
# it is under the GPL, whatever the program is linked with.
function(rigspace_library)
  set(rooms ${RIGSPACE_ROOMS})
  list(REMOVE_ITEM rooms rigspace_render)
  add_library(rigspace INTERFACE)
  target_link_libraries(rigspace INTERFACE ${rooms})
  add_library(rigspace::rigspace ALIAS rigspace)

  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  list(TRANSFORM RIGSPACE_ROOMS REPLACE "^rigspace_" "" OUTPUT_VARIABLE names)
  list(JOIN names " " RIGSPACE_ROOM_NAMES)  # the short names of the installed package are those of the build
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/rigspace)
  install(TARGETS rigspace rigspace_flags ${rooms} EXPORT rigspace COMPONENT library)
  install(TARGETS rigspace_render EXPORT rigspace-render COMPONENT render)
  install(EXPORT rigspace NAMESPACE rigspace:: DESTINATION ${folder} FILE rigspace-library-targets.cmake COMPONENT library)
  install(EXPORT rigspace-render NAMESPACE rigspace:: DESTINATION ${folder} FILE rigspace-render-targets.cmake COMPONENT render)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake DESTINATION ${folder} COMPONENT library)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rigspace-config.cmake.in
    ${CMAKE_BINARY_DIR}/rigspace-config.cmake INSTALL_DESTINATION ${folder})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/rigspace-config-version.cmake COMPATIBILITY SameMinorVersion)
  foreach(component library realtime)  # each may be installed alone
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rigspace DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component})
    install(FILES ${CMAKE_BINARY_DIR}/rigspace-config.cmake ${CMAKE_BINARY_DIR}/rigspace-config-version.cmake
      DESTINATION ${folder} COMPONENT ${component})
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rigspace
      COMPONENT ${component})
  endforeach()
endfunction()
