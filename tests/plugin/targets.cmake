# Kernels as their authors would write them, in C99: programs, and shared libraries that see fusecheck_plugin.h alone.
enable_language(C)
set(kernels ${CMAKE_SOURCE_DIR}/tests/plugin/kernels)
add_executable(fused_exec ${kernels}/fused_exec.c ${kernels}/fused_conv_bn_relu_add.c)
add_executable(relu_exec ${kernels}/relu_exec.c)
add_executable(conv_relu_grad_exec ${kernels}/conv_relu_grad_exec.c)
add_library(fused_plugin MODULE ${kernels}/fused_plugin.c ${kernels}/fused_conv_bn_relu_add.c)
add_library(relu_plugin MODULE ${kernels}/relu_plugin.c)
set_target_properties(fused_exec relu_exec conv_relu_grad_exec fused_plugin relu_plugin PROPERTIES
  C_STANDARD 99 PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/kernels
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/kernels)
foreach(kernel fused_exec relu_exec conv_relu_grad_exec fused_plugin relu_plugin)
  target_include_directories(${kernel} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(${kernel} PRIVATE -O1)
  target_link_libraries(${kernel} PRIVATE m)
endforeach()
add_custom_target(plugin_kernels DEPENDS fused_exec relu_exec conv_relu_grad_exec fused_plugin relu_plugin)
add_dependencies(fusecheck_test_support plugin_kernels)
