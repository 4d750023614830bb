# RapidJSON is header-only. Emscripten does not look into /usr/include, so the headers it needs are
# linked into a folder of the build tree.
set(SGLINT_DEPENDENCIES_INCLUDE ${CMAKE_BINARY_DIR}/dependencies)
file(MAKE_DIRECTORY ${SGLINT_DEPENDENCIES_INCLUDE})
find_path(RAPIDJSON_INCLUDE rapidjson/reader.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
file(CREATE_LINK ${RAPIDJSON_INCLUDE}/rapidjson ${SGLINT_DEPENDENCIES_INCLUDE}/rapidjson SYMBOLIC)
target_include_directories(sglint_core SYSTEM PUBLIC ${SGLINT_DEPENDENCIES_INCLUDE})
