# All from Debian; ./run setup installs them. See NOTICE for their licences.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
find_package(embree 3 REQUIRED)
find_package(PNG REQUIRED)

# Sparse linear algebra: METIS orders; CHOLMOD factors where allowed.
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(rigspace_sparse INTERFACE)
target_include_directories(rigspace_sparse INTERFACE $<BUILD_INTERFACE:${METIS_INCLUDE_DIR}>)
target_link_libraries(rigspace_sparse INTERFACE ${METIS_LIBRARY})
if(RIGSPACE_WITH_CHOLMOD)
  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
  find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
  target_include_directories(rigspace_sparse INTERFACE $<BUILD_INTERFACE:${CHOLMOD_INCLUDE_DIR}>)
  target_link_libraries(rigspace_sparse INTERFACE ${CHOLMOD_LIBRARY})
  target_compile_definitions(rigspace_sparse INTERFACE RIGSPACE_WITH_CHOLMOD)
endif()

find_path(STB_INCLUDE_DIR stb_image.h PATH_SUFFIXES stb REQUIRED)
add_library(rigspace_stb INTERFACE)
target_include_directories(rigspace_stb SYSTEM INTERFACE $<BUILD_INTERFACE:${STB_INCLUDE_DIR}>)

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # used from its header alone
add_library(rigspace_xxhash INTERFACE)
target_include_directories(rigspace_xxhash SYSTEM INTERFACE $<BUILD_INTERFACE:${XXHASH_INCLUDE_DIR}>)
