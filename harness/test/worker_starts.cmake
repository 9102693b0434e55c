# Starts a worker with no input: it is ready and ends with 0, or unavailable with a reason and ends with 3.
execute_process(COMMAND ${WORKER} INPUT_FILE /dev/null OUTPUT_VARIABLE said RESULT_VARIABLE code TIMEOUT 60)
if(code EQUAL 3 AND said MATCHES "^{\"event\":\"unavailable\",\"reason\":\"[^\"]+\"}\n$")
elseif(code EQUAL 0 AND said MATCHES "^{\"event\":\"ready\",\"device\":\"cuda\"")
else()
  message(FATAL_ERROR "exit code ${code}, output: ${said}")
endif()
message(STATUS "${said}")
