# libyaml: the system's library natively; under Emscripten the same release's C sources, because no
# package holds a wasm build. core/cmake/fetch_libyaml.sh gets them from Debian's own source package;
# SGLINT_LIBYAML_SOURCE names a folder that already has them.
if(EMSCRIPTEN)
  set(SGLINT_LIBYAML_SOURCE "" CACHE PATH "Folder with libyaml's sources (src/, include/)")
  if(SGLINT_LIBYAML_SOURCE)
    set(LIBYAML_DIR ${SGLINT_LIBYAML_SOURCE})
  else()
    set(LIBYAML_DIR ${PROJECT_SOURCE_DIR}/build/libyaml/libyaml-0.2.5)
    if(NOT EXISTS ${LIBYAML_DIR}/src/parser.c)
      execute_process(COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/fetch_libyaml.sh ${PROJECT_SOURCE_DIR}/build/libyaml
                      RESULT_VARIABLE LIBYAML_FETCHED)
      if(NOT LIBYAML_FETCHED EQUAL 0)
        message(FATAL_ERROR "libyaml's sources could not be fetched; put libyaml 0.2.5 somewhere and set SGLINT_LIBYAML_SOURCE")
      endif()
    endif()
  endif()
  # Reading only: no emitter, dumper, writer.
  add_library(sglint_yaml STATIC ${LIBYAML_DIR}/src/api.c ${LIBYAML_DIR}/src/parser.c
                                 ${LIBYAML_DIR}/src/reader.c ${LIBYAML_DIR}/src/scanner.c)
  target_include_directories(sglint_yaml SYSTEM PUBLIC ${LIBYAML_DIR}/include)
  target_include_directories(sglint_yaml PRIVATE ${LIBYAML_DIR}/src)
  target_compile_definitions(sglint_yaml PUBLIC YAML_DECLARE_STATIC
    PRIVATE YAML_VERSION_MAJOR=0 YAML_VERSION_MINOR=2 YAML_VERSION_PATCH=5 YAML_VERSION_STRING="0.2.5")
  target_compile_options(sglint_yaml PRIVATE -w -flto)
  target_link_libraries(sglint_core PUBLIC sglint_yaml)
else()
  find_path(LIBYAML_INCLUDE yaml.h REQUIRED)
  find_library(LIBYAML_LIBRARY NAMES libyaml.a yaml REQUIRED)  # the static one: one file to install
  target_include_directories(sglint_core SYSTEM PRIVATE ${LIBYAML_INCLUDE})
  target_link_libraries(sglint_core PUBLIC ${LIBYAML_LIBRARY})
endif()
