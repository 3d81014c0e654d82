string(TOUPPER "${CMAKE_BUILD_TYPE}" install_build_type)
add_test(NAME install.consumer
  COMMAND ${CMAKE_COMMAND} -D BUILD=${CMAKE_BINARY_DIR} -D SOURCE=${CMAKE_SOURCE_DIR} -D WORK=${CMAKE_BINARY_DIR}/install_test
          -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER}
          "-DFLAGS=${CMAKE_CXX_FLAGS_${install_build_type}}" -P ${CMAKE_CURRENT_SOURCE_DIR}/install/run.cmake)
set_tests_properties(install.consumer PROPERTIES TIMEOUT 300)
