#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id subprocess
# @category utility
# @description Say hello from a shell script; parameters come as variables and as JSON on stdin
# @param {string} name - Name to greet
# @param {integer} [times=1] - How often
# @timeout 30
for ((i = 0; i < PARAM_TIMES; i++)); do
  echo "Hello, $PARAM_NAME!"
done
