import { describe, expect, it, vi } from 'vitest'
import { verifies } from '../../test/helpers/verifies.ts'
import { makePrincipal } from '../tool/principal.ts'
import { makeTool, type Tool } from '../tool/tool.ts'
import { ToolError } from '../tool/tool-error.ts'
import type { Call } from './call.ts'
import { Kernel, type KernelOptions } from './kernel.ts'
import type { Check, Wrapper } from './stages.ts'

const principal = makePrincipal({ surface: 'cli' })
const tool = makeTool({ id: 't', format: 'rye', tier: 'project', source: { file: null, digest: '' } })
const leaf: Wrapper = { name: 'execute', stage: '$execute', wrap: (call) => [call.tool.id, call.args] }

function kernelOf(parts: readonly (Check | Wrapper)[], more: Partial<KernelOptions> = {}): Kernel {
  return new Kernel({
    parts,
    resolve: (ref) => {
      if (typeof ref !== 'string') return ref
      if (ref === tool.id) return tool
      throw new ToolError('TOOL_NOT_FOUND', `There is no tool ${ref}.`)
    },
    ...more,
  })
}

function refusing(
  name: string,
  code: 'PARAMS_INVALID' | 'CAPABILITY_DENIED',
  more: Partial<Check> = {},
): Check {
  return {
    name,
    stage: '$configure',
    check() {
      throw new ToolError(code, `${name} says no`)
    },
    ...more,
  }
}

describe('invoke', () => {
  it('calls a tool by name or as it is', async () => {
    const kernel = kernelOf([leaf])
    expect(await kernel.invoke('t', { a: 1 }, { principal })).toMatchObject({
      ok: true,
      value: ['t', { a: 1 }],
    })
    expect(await kernel.invoke(tool, undefined, { principal })).toMatchObject({ value: ['t', {}] })
  })

  it('never rejects: what goes wrong is an outcome', async () => {
    const kernel = kernelOf([refusing('params', 'PARAMS_INVALID'), leaf])
    expect(await kernel.invoke('x', {}, { principal })).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } })
    expect(await kernel.invoke('t', {}, { principal, runId: 'r' })).toMatchObject({
      ok: false,
      runId: 'r',
      error: { code: 'PARAMS_INVALID', message: 'params says no' },
    })
  })

  it.each([undefined, null, 'text', 7])('gives a failure for a tool that throws %j', async (thrown) => {
    const wrap = () => {
      throw thrown
    }
    expect(await kernelOf([{ ...leaf, wrap }]).invoke('t', {}, { principal })).toMatchObject({
      ok: false,
      error: { code: 'TOOL_FAILED' },
    })
  })

  it('passes stages in order, whatever the order of the parts', async () => {
    const seen: string[] = []
    const part = (name: string, stage: Check['stage']): Check => ({
      name,
      stage,
      check: () => void seen.push(name),
    })
    const parts = [part('late', '$pre-execute'), part('early', '$start'), part('middle', '$configure'), leaf]
    await kernelOf(parts).invoke('t', {}, { principal })
    expect(seen).toEqual(['early', 'middle', 'late'])
  })

  it('leaves out what does not apply to a tool, and asks once', async () => {
    const applies = vi.fn((_tool: Tool) => false)
    const kernel = kernelOf([refusing('params', 'PARAMS_INVALID', { applies }), leaf])
    for (let n = 0; n < 2; n++)
      expect(await kernel.invoke('t', {}, { principal })).toMatchObject({ ok: true })
    expect(applies).toHaveBeenCalledTimes(1)
  })

  it('ends a call at the depth where a tool seems to call itself', async () => {
    verifies('S25')
    const kernel: Kernel = kernelOf([
      {
        ...leaf,
        wrap: (call: Call) => kernel.run(kernel.makeChild(tool, {}, { principal, parent: call })),
      },
    ])
    expect(await kernel.invoke('t', {}, { principal })).toMatchObject({ error: { code: 'DEPTH_EXCEEDED' } })
  })

  it('tells of the end before whoever waits for it, once, also of a refusal', async () => {
    const ends: unknown[] = []
    const trace: Wrapper = {
      name: 'trace',
      stage: '$start',
      wrap(call) {
        call.atEnd = ({ error, result }) => ends.push((error as Error)?.message ?? result)
      },
    }
    await kernelOf([trace, leaf]).invoke('t', {}, { principal })
    await kernelOf([trace, refusing('params', 'PARAMS_INVALID'), leaf]).invoke('t', {}, { principal })
    expect(ends).toEqual([['t', {}], 'params says no'])
  })
})

describe('a running call', () => {
  const waiting: Wrapper = {
    ...leaf,
    wrap: (call) => call.orStopped(new Promise(() => {})),
  }

  it('is in the list while it runs, and stops when it is cancelled', async () => {
    const kernel = kernelOf([waiting])
    const outcome = kernel.invoke('t', {}, { principal, runId: 'r' })
    await Promise.resolve()
    expect(kernel.running.map(({ id }) => id)).toEqual(['r'])
    expect(kernel.cancel('r')).toBe(true)
    expect(await outcome).toMatchObject({ error: { code: 'CANCELLED' } })
    expect(kernel.running).toEqual([])
    expect(kernel.cancel('r')).toBe(false)
  })

  it('stops with the signal it was given, and with its parent', async () => {
    const controller = new AbortController()
    const kernel = kernelOf([waiting])
    const outcome = kernel.invoke('t', {}, { principal, signal: controller.signal })
    controller.abort()
    expect(await outcome).toMatchObject({ error: { code: 'CANCELLED' } })
    const parent = kernel.make(tool, {}, { principal })
    const child = kernel.makeChild(tool, {}, { principal, parent })
    parent.abort(new ToolError('TIMEOUT', 'late'))
    expect(child.isAborted).toBe(true)
  })
})

it('a child has an id below its parent, its depth, and what holds for the parent', () => {
  const kernel = kernelOf([leaf])
  const onLog = () => {}
  const parent = kernel.make(tool, {}, { principal, runId: 'r', strict: true, onLog })
  const child = kernel.makeChild(tool, {}, { principal, parent })
  expect([child.id, child.depth, child.options.strict]).toEqual(['r.1', 1, true])
  expect(child.options.onLog).toBe(onLog)
  expect(kernel.makeChild(tool, {}, { principal, parent }).id).toBe('r.2')
})

describe('what is asked of a call that does not run', () => {
  const planned: Wrapper = { ...leaf, wrap: () => 'ran', rehearse: () => ({ plan: 1 }), needs: ['grants'] }
  const asked = (kernel: Kernel, more = {}) => kernel.make(tool, {}, { principal, dryRun: true, ...more })

  it('is its plan', async () => {
    const kernel = kernelOf([planned])
    expect(await kernel.rehearse(asked(kernel))).toEqual({ plan: 1 })
  })

  it('is the first refusal, for a dry run, or all of them', async () => {
    const kernel = kernelOf([
      refusing('params', 'PARAMS_INVALID'),
      refusing('grants', 'CAPABILITY_DENIED', { stage: '$pre-execute' }),
      planned,
    ])
    await expect(kernel.rehearse(asked(kernel))).rejects.toMatchObject({ code: 'PARAMS_INVALID' })
    const found = await kernel.refusals(asked(kernel))
    expect(found.map(({ check, code }) => [check, code])).toEqual([
      ['params', 'PARAMS_INVALID'],
      ['grants', 'CAPABILITY_DENIED'],
    ])
  })

  it('leaves out what depends on a check that refused, and what depends on that', async () => {
    const ran: string[] = []
    const noted = (name: string, needs: string[]): Check => ({
      name,
      stage: '$configure',
      needs,
      check: () => void ran.push(name),
    })
    const parts = [
      refusing('params', 'PARAMS_INVALID'),
      noted('config', ['params']),
      noted('more', ['config']),
    ]
    const kernel = kernelOf([...parts, noted('free', [])])
    expect(await kernel.refusals(asked(kernel))).toHaveLength(1)
    expect(ran).toEqual(['free'])
  })

  it('says nothing of arguments that are not known yet', async () => {
    const kernel = kernelOf([refusing('params', 'PARAMS_INVALID', { judgesArgs: true }), planned])
    expect(await kernel.refusals(asked(kernel, { hasNoArgsYet: true }))).toEqual([])
    expect(await kernel.refusals(asked(kernel))).toHaveLength(1)
  })

  it('names what a plan lacks on this machine', async () => {
    const rehearse = (call: Call) => {
      call.missing = [new ToolError('COMMAND_NOT_FOUND', 'no program')]
      return { plan: 1 }
    }
    const kernel = kernelOf([{ ...planned, rehearse }])
    expect(await kernel.refusals(asked(kernel))).toMatchObject([
      { check: 'execute', code: 'COMMAND_NOT_FOUND' },
    ])
    expect(await kernel.rehearse(asked(kernel))).toEqual({ plan: 1 })
  })
})

describe('a weaver', () => {
  it('adds to chains, prepares calls and makes contexts; what it refuses is a refusal like any other', async () => {
    const seen: string[] = []
    const trace: Wrapper = { name: 'trace', stage: '$start', wrap: () => void seen.push('trace') }
    let isBroken = false
    const kernel = kernelOf([trace, leaf], {
      weaver: () => ({
        weave(positions) {
          if (isBroken) throw new ToolError('CASCADE_INVALID', 'no way')
          return {
            chain: positions.map(({ entry }) => entry),
            prepare: (call) => Object.assign(call, { metadata: { k: 1 } }),
          }
        },
        context: (call) => ({ of: call.id, k: call.metadata['k'] }),
      }),
    })
    const call = kernel.make(tool, {}, { principal, runId: 'r' })
    await kernel.run(call)
    expect(call.context).toEqual({ of: 'r', k: 1 })
    isBroken = true
    kernel.recompose()
    expect(await kernel.invoke('t', {}, { principal })).toMatchObject({ error: { code: 'CASCADE_INVALID' } })
    expect(seen).toEqual(['trace', 'trace'])
  })
})
