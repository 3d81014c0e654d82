# Prints a hash of every output; run.sh compares what differently built ones print. Built on demand only.
add_executable(fusecheck_hashes EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bits/hashes_main.cpp)
target_link_libraries(fusecheck_hashes PRIVATE fusecheck_core)
