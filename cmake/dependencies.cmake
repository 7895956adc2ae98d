# All from Debian; ./run setup installs them. See NOTICE for their licences.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
find_package(embree 3 REQUIRED)
find_package(PNG REQUIRED)

# Sparse linear algebra: METIS orders, Eigen factors.
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
find_package(METIS REQUIRED)

# CHOLMOD, for programs that may be under the GPL: the library has none of it.
if(RIGSPACE_WITH_CHOLMOD)
  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
  find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
endif()

# rigspace_program(TARGET): a program, test or module of ours, which takes CHOLMOD where that is wanted.
function(rigspace_program target)
  if(RIGSPACE_WITH_CHOLMOD)
    target_link_libraries(${target} PRIVATE rigspace_cholmod)
  endif()
endfunction()
function(rigspace_cholmod_object)
  if(RIGSPACE_WITH_CHOLMOD)
    add_library(rigspace_cholmod OBJECT ${PROJECT_SOURCE_DIR}/tools/cholmod/sparse_factor_cholmod.cpp)
    target_include_directories(rigspace_cholmod PRIVATE ${PROJECT_SOURCE_DIR}/src/optimize ${CHOLMOD_INCLUDE_DIR})
    target_link_libraries(rigspace_cholmod PUBLIC rigspace_optimize ${CHOLMOD_LIBRARY} PRIVATE rigspace_build_flags)
  endif()
endfunction()

find_path(STB_INCLUDE_DIR stb_image.h PATH_SUFFIXES stb REQUIRED)
add_library(rigspace_stb INTERFACE)
target_include_directories(rigspace_stb SYSTEM INTERFACE $<BUILD_INTERFACE:${STB_INCLUDE_DIR}>)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # used from its header alone
add_library(rigspace_xxhash INTERFACE)
target_include_directories(rigspace_xxhash SYSTEM INTERFACE $<BUILD_INTERFACE:${XXHASH_INCLUDE_DIR}>)
