// The library: `import { openCrib } from 'toolcrib'`.
export { type Crib, type CribOptions, type DryRun, type FunctionTool, openCrib } from './crib.ts'
export type { Caller } from './tool/caller.ts'
export type { LogLine, Outcome, Progress } from './tool/outcome.ts'
export type { Problem } from './tool/problem.ts'
export type { JsonSchema, Tool } from './tool/tool.ts'
export { isToolError, ToolError } from './tool/tool-error.ts'
