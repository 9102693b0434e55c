# cuda.cmake - finds the parts of a CUDA toolkit that the library needs: headers and the static runtime. No nvcc, no driver.
# Defines the target tilewright::cudart when both are there, and TILEWRIGHT_CUDA_INCLUDE when the headers are.
# Looks in TILEWRIGHT_CUDA_HOME, then CUDA_HOME and CUDA_PATH of the environment, then the usual places.
set(_tilewright_cuda_roots ${TILEWRIGHT_CUDA_HOME} $ENV{CUDA_HOME} $ENV{CUDA_PATH} ${TILEWRIGHT_CUDA_HINT} /usr/local/cuda /opt/cuda)

find_path(TILEWRIGHT_CUDA_INCLUDE cuda_runtime_api.h HINTS ${_tilewright_cuda_roots}
          PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
find_library(TILEWRIGHT_CUDART cudart_static HINTS ${_tilewright_cuda_roots}
             PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
mark_as_advanced(TILEWRIGHT_CUDA_INCLUDE TILEWRIGHT_CUDART)

if(TILEWRIGHT_CUDA_INCLUDE AND TILEWRIGHT_CUDART AND NOT TARGET tilewright::cudart)
  find_package(Threads REQUIRED)
  add_library(tilewright::cudart STATIC IMPORTED)
  set_target_properties(tilewright::cudart PROPERTIES
    IMPORTED_LOCATION "${TILEWRIGHT_CUDART}"
    INTERFACE_INCLUDE_DIRECTORIES "${TILEWRIGHT_CUDA_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};rt")
endif()
unset(_tilewright_cuda_roots)
