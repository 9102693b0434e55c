# library.cmake - what the two libraries have in common as CMake targets, and the package that is installed.
set(tilewright_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)

# Adds an operation to both libraries. The other arguments: sources of its kernels, whose objects are appended to `kernels`.
function(tilewright_operation name)
  set(folder ${PROJECT_SOURCE_DIR}/src/operations/${name})
  target_sources(tilewright_common INTERFACE ${folder}/operation.cpp)
  set_source_files_properties(${folder}/operation.cpp PROPERTIES INCLUDE_DIRECTORIES ${folder})
  set(target tilewright_kernels_${name})
  add_library(${target} OBJECT ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  tilewright_for_emulator(${target})
  tilewright_optimise(${target} -O1)
  target_include_directories(${target} PRIVATE ${folder})
  target_compile_options(${target} PRIVATE ${kernel_options})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)  # each names its constants as the others do
  # Kernels spend most of their compile time in this header, where it is not precompiled.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} PRIVATE <tw/ptx.cuh>)
  endif()
  set(kernels ${kernels} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
endfunction()

# What runs on the stacks of emulated threads is never instrumented for ThreadSanitizer, which would take those for calls of
# the one thread that it sees.
function(tilewright_for_emulator target)
  target_compile_definitions(${target} PRIVATE TW_EMULATED)
  target_include_directories(${target} PRIVATE include src device simt/include simt/src)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=thread>)
endfunction()

# The level of a release build, -O1 for all of the emulated library: its compile time counts. The generator's gate has the emulated
# device with -O2.
function(tilewright_optimise target level)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:${level}>)
endfunction()

# Finishes `target`: exports it as tilewright::<name> through <export>.cmake and writes its pkg-config file.
# `private_libs`: what a static build asks its consumer to link beside the C++ runtime.
function(tilewright_library target name export description private_libs)
  add_library(tilewright::${name} ALIAS ${target})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:tilewright_common> Threads::Threads)
  # g++ 12 warns of overlapping copies in `"text" + std::string` where there are none (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Several sources at a time: the compiler needs longer for the headers that they share than for themselves. CMake leaves
  # out those with options of their own.
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24
    DEFINE_SYMBOL "" EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${TILEWRIGHT_ABI_VERSION})
  if(BUILD_SHARED_LIBS)
    set(map ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${map})
  else()
    # The consumer may be plain C: name the C++ runtime instead of asking for a C++ linker.
    target_link_libraries(${target} INTERFACE $<INSTALL_INTERFACE:stdc++> $<INSTALL_INTERFACE:m>)
  endif()
  install(TARGETS ${target} EXPORT ${export}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${export} NAMESPACE tilewright:: DESTINATION ${tilewright_package_dir})
  tilewright_pkg_config(${target} "${description}" "${private_libs}")
endfunction()

function(tilewright_pkg_config PC_NAME PC_DESCRIPTION private_libs)
  set(all_libs "${private_libs} -lstdc++ -lm -lpthread")
  if(BUILD_SHARED_LIBS)
    set(PC_LIBS "")
    set(PC_PRIVATE_LIBS "${all_libs}")
  else()
    # Only the archive is installed, so there is no `--static` to ask for.
    set(PC_LIBS "${all_libs}")
    set(PC_PRIVATE_LIBS "")
  endif()
  configure_file(cmake/tilewright.pc.in ${PROJECT_BINARY_DIR}/${PC_NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# Installs what find_package(tilewright) reads.
function(tilewright_package)
  configure_package_config_file(cmake/tilewrightConfig.cmake.in ${PROJECT_BINARY_DIR}/tilewrightConfig.cmake
    INSTALL_DESTINATION ${tilewright_package_dir} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilewrightConfigVersion.cmake COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/tilewrightConfig.cmake ${PROJECT_BINARY_DIR}/tilewrightConfigVersion.cmake
                cmake/cuda.cmake
    DESTINATION ${tilewright_package_dir})
endfunction()
