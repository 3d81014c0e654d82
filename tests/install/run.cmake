# cmake -D BUILD=.. -D SOURCE=.. -D WORK=.. -D COMPILER=.. -D FLAGS=.. -D TYPE=.. -P run.cmake
# Installs the build below WORK, then configures, builds and runs the consumer against it. Fails where anything does.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${result}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(file bin/fusecheck include/fusecheck/check.hpp include/fusecheck/fusecheck_plugin.h)
  if(NOT EXISTS ${WORK}/prefix/${file})
    message(FATAL_ERROR "the installation lacks ${file}")
  endif()
endforeach()
# A package that still knew its build would work here and nowhere else.
file(GLOB_RECURSE packages ${WORK}/prefix/*.cmake)
foreach(package ${packages})
  file(READ ${package} text)
  string(FIND "${text}" "${SOURCE}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${package} names the source tree")
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install -B ${WORK}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${WORK}/prefix
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure --no-tests=error)
