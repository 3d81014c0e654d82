# cmake --install: the program, the static library, the public headers, and a package file for CMake.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(fusecheck_plugin_header INTERFACE)
target_include_directories(fusecheck_plugin_header INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(fusecheck_plugin_header PROPERTIES EXPORT_NAME plugin)
set_target_properties(fusecheck_core PROPERTIES EXPORT_NAME fusecheck OUTPUT_NAME fusecheck)
set_target_properties(fusecheck PROPERTIES EXPORT_NAME program)

install(TARGETS fusecheck fusecheck_core EXPORT fusecheckTargets)
install(TARGETS fusecheck_plugin_header EXPORT fusecheckPluginTargets)
install(DIRECTORY include/fusecheck DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fusecheck)
install(EXPORT fusecheckTargets NAMESPACE fusecheck:: DESTINATION ${package_folder})
install(EXPORT fusecheckPluginTargets NAMESPACE fusecheck:: DESTINATION ${package_folder})
configure_package_config_file(cmake/fusecheckConfig.cmake.in ${CMAKE_BINARY_DIR}/fusecheckConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/fusecheckConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/third_party.cmake ${CMAKE_BINARY_DIR}/fusecheckConfig.cmake
              ${CMAKE_BINARY_DIR}/fusecheckConfigVersion.cmake
        DESTINATION ${package_folder})
