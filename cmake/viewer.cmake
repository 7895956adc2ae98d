# The page of `rigspace view`, built from studio/viewer by node and put into the room that writes it. Where node or its
# packages are missing the build goes on, and view_page() says what is missing.

# rigspace_embed_viewer(TARGET): TARGET holds src/render/view_page.cpp. To be called in the root CMakeLists.txt, after
# the room is made, since properties of source files are per folder.
function(rigspace_embed_viewer target)
  set(studio ${PROJECT_SOURCE_DIR}/studio/viewer)
  set(user ${PROJECT_SOURCE_DIR}/src/render/view_page.cpp)
  find_program(RIGSPACE_NODE NAMES node nodejs DOC "Node.js 18 or later, for the viewer's page")
  # Watched, so that `npm ci` after a first configuration is noticed.
  file(GLOB installed CONFIGURE_DEPENDS ${studio}/node_modules/.package-lock.json)
  if(NOT RIGSPACE_NODE)
    set(missing "node was not found")
  elseif(NOT installed)
    set(missing "npm ci has not been run in studio/viewer")
  endif()
  if(missing)
    message(STATUS "Without the viewer's page: ${missing}")
    set_property(SOURCE ${user} APPEND PROPERTY COMPILE_DEFINITIONS "RIGSPACE_VIEWER_MISSING=\"${missing}\"")
    return()
  endif()

  set(folder ${CMAKE_BINARY_DIR}/viewer)
  set(page ${folder}/viewer.html)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${studio}/src/*.ts ${studio}/src/*.css ${studio}/*.html)
  add_custom_command(OUTPUT ${page}
    COMMAND ${RIGSPACE_NODE} ${studio}/build.mjs ${folder}
    DEPENDS ${sources} ${studio}/build.mjs ${installed}
    COMMENT "Bundling the viewer's page" VERBATIM)

  # The assembler takes the file in as it is: three quarters of a megabyte as a C++ literal would take longer.
  set(embedded ${folder}/viewer.cpp)
  file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
__asm__(
    ".pushsection .rodata\n"
    ".global rigspace_viewer_begin\n"
    ".global rigspace_viewer_end\n"
    "rigspace_viewer_begin:\n"
    ".incbin \"@page@\"\n"
    "rigspace_viewer_end:\n"
    ".byte 0\n"
    ".popsection\n");
]])
  set_source_files_properties(${embedded} PROPERTIES OBJECT_DEPENDS ${page} SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${embedded})
  set_property(SOURCE ${user} APPEND PROPERTY COMPILE_DEFINITIONS RIGSPACE_VIEWER_EMBEDDED)
endfunction()
