# What the library links. Included by the build, and by the package file of an installed static library.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(spdlog)
find_dependency(yaml-cpp)

# Debian's package file of oneDNN asks for OpenCL, which nothing here uses; that of ONNX defines macros for every file
# of whoever links it, and names a target of protobuf that it does not look for.
function(fusecheck_import target library header)
  if(TARGET ${target})
    return()
  endif()
  string(TOUPPER ${library} name)
  find_path(${name}_INCLUDE_DIR ${header} REQUIRED)
  find_library(${name}_LIBRARY ${library} REQUIRED)
  add_library(${target} UNKNOWN IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${name}_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${${name}_INCLUDE_DIR})
endfunction()
fusecheck_import(DNNL::dnnl dnnl oneapi/dnnl/dnnl.hpp)
fusecheck_import(fusecheck_third_party::onnx_proto onnx_proto onnx/onnx_pb.h)
fusecheck_import(fusecheck_third_party::protobuf protobuf google/protobuf/message.h)
