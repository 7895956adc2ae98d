# The pages of `rigspace view` and `rigspace simulate`, built from studio/viewer by node and put into the room that
# writes them. Where node or its packages are missing the build goes on, and view_page() says what is missing.

# rigspace_embed_viewer(TARGET): TARGET holds src/pages/page_template.cpp. To be called in the root CMakeLists.txt,
# after the room is made, since properties of source files are per folder.
function(rigspace_embed_viewer target)
  set(studio ${PROJECT_SOURCE_DIR}/studio/viewer)
  set(user ${PROJECT_SOURCE_DIR}/src/pages/page_template.cpp)
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
  set(pages ${folder}/viewer.html ${folder}/soft.html ${folder}/batch.html ${folder}/studio.html)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${studio}/src/*.ts ${studio}/src/*.css ${studio}/*.html)
  add_custom_command(OUTPUT ${pages}
    COMMAND ${RIGSPACE_NODE} ${studio}/build.mjs ${folder}
    DEPENDS ${sources} ${studio}/build.mjs ${installed}
    COMMENT "Bundling the viewer's pages" VERBATIM)

  # The assembler takes the files in as they are: megabytes as a C++ literal would take longer.
  foreach(page ${pages})
    get_filename_component(name ${page} NAME_WE)
    set(embedded ${folder}/${name}.cpp)
    file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
__asm__(
    ".pushsection .rodata\n"
    ".global rigspace_@name@_begin\n"
    ".global rigspace_@name@_end\n"
    "rigspace_@name@_begin:\n"
    ".incbin \"@page@\"\n"
    "rigspace_@name@_end:\n"
    ".byte 0\n"
    ".popsection\n");
]])
    # In a unity build OBJECT_DEPENDS would be lost, and a changed page not be taken in.
    set_source_files_properties(${embedded} PROPERTIES OBJECT_DEPENDS ${page} SKIP_PRECOMPILE_HEADERS ON
                                                       SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${embedded})
  endforeach()
  set_property(SOURCE ${user} APPEND PROPERTY COMPILE_DEFINITIONS RIGSPACE_VIEWER_EMBEDDED)
endfunction()
