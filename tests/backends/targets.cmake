# Compiles the oneDNN 3.x branch against declarations of that interface. An object only, so that nothing needs to link:
# when the branch does not fit the interface, the build fails.
add_library(onednn3_syntax OBJECT ${CMAKE_SOURCE_DIR}/src/backends/onednn.cpp)
target_include_directories(onednn3_syntax BEFORE PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/backends/onednn3_api ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
