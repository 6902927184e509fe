# cpack runs this file on the staged files. For the tar.gz it copies the shared libraries, except those of the C
# library, into lib/azlock, where the program looks for them first, and their licences into share/doc/azlock/libraries.
# The .deb names the libraries as dependencies, so its program uses those of the system.
file(GLOB_RECURSE programs LIST_DIRECTORIES false ${CPACK_TEMPORARY_DIRECTORY}/*/bin/azlock ${CPACK_TEMPORARY_DIRECTORY}/bin/azlock)
list(GET programs 0 program)
if(CPACK_GENERATOR STREQUAL DEB)
  file(RPATH_REMOVE FILE ${program})
  return()
endif()

get_filename_component(prefix ${program}/../.. ABSOLUTE)
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} RESOLVED_DEPENDENCIES_VAR libraries
  POST_EXCLUDE_REGEXES "/(ld-linux|lib(c|m|dl|rt|resolv|pthread)[.]so)[^/]*$")
foreach(library ${libraries})
  file(INSTALL ${library} DESTINATION ${prefix}/lib/azlock FOLLOW_SYMLINK_CHAIN)
  file(REAL_PATH ${library} file)
  foreach(path ${file} ${library})
    string(REGEX REPLACE "^/usr/" "/" short ${path})
    foreach(candidate ${path} ${short})
      execute_process(COMMAND dpkg-query -S ${candidate} OUTPUT_VARIABLE owner ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
      string(REGEX REPLACE "[:,].*" "" owner "${owner}")
      if(owner AND EXISTS /usr/share/doc/${owner}/copyright)
        file(REAL_PATH /usr/share/doc/${owner}/copyright licence)
        file(INSTALL ${licence} DESTINATION ${prefix}/share/doc/azlock/libraries RENAME ${owner}.copyright)
      endif()
    endforeach()
  endforeach()
endforeach()
