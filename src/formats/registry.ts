// Every format the catalog reads, one line each, in the order in which `new` and `convert` offer them.
import { builtin } from './builtin/index.ts'
import type { Format } from './format.ts'
import { mcp } from './mcp/index.ts'
import { openapi } from './openapi/index.ts'
import { rye } from './rye/index.ts'
import { skill } from './skill/index.ts'
import { toolCode } from './tool-code/index.ts'
import { toolsJson } from './tools-json/index.ts'

export const formats: readonly Format[] = [builtin, rye, toolsJson, toolCode, skill, mcp, openapi]
