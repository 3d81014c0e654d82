add_library(readme_kernel MODULE ${CMAKE_SOURCE_DIR}/tests/readme/kernel/conv_bn_relu.c)
set_target_properties(readme_kernel PROPERTIES C_STANDARD 99 PREFIX "" OUTPUT_NAME libkernel
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/readme_kernel)
target_include_directories(readme_kernel PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/tests/plugin/kernels)
target_compile_options(readme_kernel PRIVATE -O2)
target_link_libraries(readme_kernel PRIVATE m)
add_dependencies(fusecheck_test_support readme_kernel)
