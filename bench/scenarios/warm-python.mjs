import { execFileSync } from 'node:child_process'
import { pythonEcho } from '../json-lines.mjs'
import { warmScenario } from '../warm-rye.mjs'

const text = `__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "python/function"
__category__ = ""
__tool_description__ = "Give back what came"
CONFIG_SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}, "count": {"type": "integer"}}}


def execute(params, project_path):
    return {"success": True, "data": params}
`

export const scenario = warmScenario({
  about: 'a warm Python function, p50',
  path: 'echo.py',
  text,
  // A version manager's shim would make the others look slow.
  program: () =>
    execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
  bareArgs: ['-c', pythonEcho],
  coldArgs: ['-c', pythonEcho],
})
