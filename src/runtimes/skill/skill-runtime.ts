// Code skills and inline code, run inside this process with its rights: `fn(ctx, args)`.
import type { Tool } from '../../tool/tool.ts'
import { isToolError, messageOf, ToolError } from '../../tool/tool-error.ts'
import type { Attempt, Runtime, RuntimeEnv } from '../runtime.ts'
import { importNative } from './import-native.ts'
import { type LoadingContext, noteLoaded } from './loaded-tools.ts'
import { ModuleLoader, type SkillModule } from './module-loader.ts'

type SkillFunction = (ctx: object, args: unknown) => unknown

/** The part of the kernel's call that a skill gets to see. */
interface SkillCall {
  readonly context: LoadingContext
}

export function openSkillRuntime(env: RuntimeEnv): Runtime {
  const loader = new ModuleLoader(env.verifyFile)
  const inline = new Map<string, Promise<SkillModule>>()

  function moduleOf(tool: Tool): SkillModule | Promise<SkillModule> {
    const code = tool.runtime!.plan['code']
    if (typeof code === 'string') {
      let module = inline.get(code)
      if (!module) {
        module = importNative(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
        inline.set(code, module)
      }
      return module
    }
    const file = tool.runtime!.plan['file'] as string
    return loader.peek(file, tool.source.digest) ?? loader.load(file, tool.source.digest)
  }

  return {
    name: 'skill',
    run(attempt) {
      const { context } = attempt.call as SkillCall
      try {
        const found = moduleOf(attempt.tool)
        if (found instanceof Promise)
          return found.then(
            (module) => functionOf(module, attempt.tool, context)(context, attempt.params),
            (error) => Promise.reject(loadError(attempt.tool, error)),
          )
        return Promise.resolve(functionOf(found, attempt.tool, context)(context, attempt.params))
      } catch (error) {
        return Promise.reject(error)
      }
    },
    plan: async (attempt: Attempt) => ({
      file: attempt.tool.runtime?.plan['file'] ?? null,
      inProcess: true,
    }),
  }
}

function functionOf(module: SkillModule, tool: Tool, context: SkillCall['context']): SkillFunction {
  const fn = module['default']
  if (typeof fn !== 'function') throw exportError(tool)
  noteLoaded(tool, { fn, module }, context)
  return fn as SkillFunction
}

function exportError(tool: Tool): ToolError {
  if (typeof tool.runtime!.plan['code'] === 'string')
    return new ToolError(
      'INLINE_INVALID',
      `${tool.id}: inline code has no default export that is a function.`,
      {
        hint: 'Write `inline://code,export default function (ctx, args) { … }`.',
      },
    )
  return new ToolError(
    'EXPORT_INVALID',
    `${tool.id}: ${tool.source.file} has no default export that is a function.`,
    { hint: 'Add `export default async function (ctx, args) { … }`.' },
  )
}

function loadError(tool: Tool, error: unknown): unknown {
  if (isToolError(error)) return error
  const isInline = typeof tool.runtime!.plan['code'] === 'string'
  return new ToolError(
    isInline ? 'INLINE_INVALID' : 'LOAD_FAILED',
    `${tool.id} cannot be loaded: ${messageOf(error)}.`,
    {
      cause: error,
      hint: isInline ? 'Inline code can import only node: modules.' : 'Mend the file, then call it again.',
    },
  )
}
