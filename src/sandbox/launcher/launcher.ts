// Our own engine: `system/fence/launch.pl`, carried out by the Perl that every Debian and Ubuntu has. It takes a plan
// on a descriptor and builds the view with the kernel's own calls.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { findOnPath } from '../../config/find-on-path.ts'
import { systemSpace, userState } from '../../config/spaces.ts'
import { isInside } from '../../files/is-inside.ts'
import { pathOfText } from '../../files/path-bytes.ts'
import { nearestRealPath } from '../../files/real-path.ts'
import { messageOf, type ToolError } from '../../tool/tool-error.ts'
import { type Layer, layerStep, makeLayer, readNotes, removeLayer } from '../changes/layer.ts'
import { layerPlaces, nearestThere } from '../changes/layer-places.ts'
import {
  type Engine,
  type EngineOrder,
  type EnginePowers,
  type EngineProbe,
  isEnginePowers,
  powerVariants,
} from '../engine.ts'
import type { SpawnSpec } from '../fence.ts'
import { ProbeCache } from '../probe-cache.ts'
import { countsProcessesPerNamespace } from '../rlimits.ts'
import { systemCallFilter } from '../system-calls.ts'
import { unnamedFile } from '../unnamed-file.ts'
import { mountDifference } from '../verify-mounts.ts'
import type { ViewStep } from '../view/view-step.ts'

/** Descriptor of the plan; 3 and 4 are the workers' channels. */
const planFd = 5
/** On which the launcher says why it started nothing. */
const reportFd = 7
/** On which it is told to look at a layer afresh. */
const controlFd = 8

/** Numbers of the resources, the same on every architecture we know. */
const resources = { file: 1, data: 2, core: 4 } as const
const processesResource = 6

/** A step as the launcher reads it: a word and its arguments. */
type Step = readonly [word: string, ...rest: string[]]

/** Looks for Perl and starts a program through the launcher for real; remembered until Perl or the kernel changes. */
export function probeLauncher(
  cacheFile: string | undefined,
  perl: string | null = findOnPath('perl') ?? null,
): EngineProbe {
  if (process.platform !== 'linux') return { reason: 'the launcher runs on Linux only' }
  if (perl === null) return { reason: 'perl is not installed' }
  const filter = systemCallFilter()
  if (!filter) return { reason: `the launcher does not know the system calls of ${process.arch}` }
  const script = launchScript()
  const cache = new ProbeCache(cacheFile)
  const key = `${perl} ${statSync(perl).mtimeMs} ${script} ${statSync(script).mtimeMs}`
  const known = cache.get(key)
  if (isEnginePowers(known)) return { found: engineOf(perl, known, cache) }
  let reason = 'it gave no reason'
  for (const variant of powerVariants) {
    const plain: EnginePowers = { version: '1', ...variant, landlock: false, layers: false, verifies: true }
    const tried = tryPowers(perl, plain)
    if (tried === undefined) {
      const locked = { ...plain, landlock: true }
      const without = tryPowers(perl, locked) === undefined ? locked : plain
      const isHeld = layerPlaces('', userState()).some(
        (state) => tryLayer(perl, without, { project: systemSpace(), state }) === undefined,
      )
      const powers = { ...without, layers: isHeld }
      cache.set(key, powers)
      return { found: engineOf(perl, powers, cache) }
    }
    reason = tried
  }
  return { reason: `the launcher does not work here: ${reason}` }
}

function launchScript(): string {
  return join(systemSpace(), 'fence', 'launch.pl')
}

/** Writes through a layer of a project, with what is written below `state`: a file system may lack what one needs. */
function tryLayer(
  perl: string,
  powers: EnginePowers,
  { project, state }: { readonly project: string; readonly state: string },
): string | undefined {
  let layer: Layer | undefined
  try {
    layer = makeLayer({ project, run: `probe-${randomUUID()}`, state })
    const own = `.toolcrib-${randomUUID()}`
    // A folder that is there before: to make one anew in its place takes an attribute, which not every file system has.
    const below = join(layer.folder, 'below')
    mkdirSync(join(below, own), { recursive: true })
    const script = `rmdir /layer/${own} && mkdir /layer/${own} && echo inside | tee /layer/${own}/file`
    const steps: ViewStep[] = [
      layerStep({ ...layer, below: { ...layer, upper: below } }),
      { kind: 'bind', source: layer.lower, target: '/layer', isWritable: true },
    ]
    const fault = tryPowers(perl, powers, { script, steps })
    if (fault !== undefined)
      return fault.includes('Input/output error') ? 'its file system keeps no attributes of users' : fault
    if (!readNotes(layer).opaque.has(own)) return 'its file system keeps no attributes of users'
    return existsSync(join(layer.upper, own, 'file')) ? undefined : 'what was written is not on the layer'
  } catch (error) {
    return messageOf(error)
  } finally {
    if (layer) removeLayer(layer)
  }
}

/** Why the launcher cannot do this; undefined when it can. */
function tryPowers(
  perl: string,
  powers: EnginePowers,
  more: { readonly script: string; readonly steps: readonly ViewStep[] } = {
    script: 'echo inside',
    steps: [],
  },
): string | undefined {
  const order = { spec: { file: '/bin/sh', args: ['-c', more.script], cwd: '/', env: {} } }
  const steps: ViewStep[] = [
    ...['/usr', '/bin', '/lib', '/lib64'].flatMap(probed),
    ...(powers.proc ? [{ kind: 'proc' } as const] : []),
    { kind: 'devices' },
    { kind: 'seal', target: '/dev' },
    { kind: 'memory', target: '/tmp', mode: '1777', bytes: 65_536 },
    ...more.steps,
  ]
  const spec = start(perl, powers, {
    ...order,
    steps,
    env: [['PATH', '/usr/bin:/bin']],
    way: undefined,
    processes: undefined,
    doors: [],
    limits: [],
  })
  const files = spec.handovers!.map(({ bytes }) => unnamedFile(bytes))
  const stdio = ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', ...files] as const
  const run = spawnSync(spec.file, spec.args, {
    env: {},
    cwd: '/',
    encoding: 'utf8',
    timeout: 10_000,
    stdio: [...stdio],
  })
  for (const fd of files) closeSync(fd)
  if (run.status === 0 && run.stdout === 'inside\n') return undefined
  return run.stderr?.trim().split('\n').at(-1) || run.error?.message || `exit code ${run.status}`
}

function probed(path: string): ViewStep[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return []
  return [{ kind: 'bind', source: nearestRealPath(path), target: path, isWritable: false }]
}

function engineOf(perl: string, powers: EnginePowers, cache: ProbeCache): Engine {
  return {
    name: 'launcher',
    path: perl,
    ...powers,
    programs: [],
    countsProcesses: powers.userNamespace && countsProcessesPerNamespace(),
    start: (order) => start(perl, powers, order),
    admit: (pipeAt) => heard(pipeAt(reportFd)),
    whyNoLayer: (project, state) => {
      const key = `layer 2 ${perl} ${[project, state].map(fileSystemOf).join(' ')}`
      if (cache.get(key) === true) return undefined
      const reason = tryLayer(perl, powers, { project, state })
      if (reason === undefined) cache.set(key, true)
      return reason
    },
  }
}

/** Which file system a path is on; a number alone may belong to another one after the next mount. */
function fileSystemOf(path: string): string {
  const there = nearestThere(path)
  return `${statSync(there).dev}:${statfsSync(there).type}`
}

function start(perl: string, powers: EnginePowers, order: EngineOrder): SpawnSpec {
  const filter = powers.seccomp ? systemCallFilter() : undefined
  return {
    file: perl,
    args: [launchScript(), String(planFd), process.arch, String(reportFd)],
    cwd: '/',
    // The launcher runs outside: a variable such as PERL5OPT must reach only what is inside.
    env: {},
    handovers: [{ fd: planFd, bytes: encode(planOf(powers, order, filter)) }],
    waits: true,
    pipes: warmTarget(order) === undefined ? [reportFd] : [reportFd, controlFd],
    control: warmTarget(order) === undefined ? undefined : controlFd,
  }
}

/** The launcher compares by itself, before it starts the program; a difference is told apart from other faults. */
async function heard(report: Duplex): Promise<ToolError | undefined> {
  let text = ''
  for await (const chunk of report) text += String(chunk)
  return text.startsWith('difference: ')
    ? mountDifference(text.slice('difference: '.length).trim())
    : undefined
}

/** Where a layer that must be looked at afresh is shown. */
function warmTarget({ isWarm, steps }: EngineOrder): string | undefined {
  const layer = isWarm ? steps.find((step) => step.kind === 'layer') : undefined
  const shown = layer && steps.find((step) => step.kind === 'bind' && isInside(step.source, layer.lower))
  return shown?.kind === 'bind' ? shown.target : undefined
}

function planOf(powers: EnginePowers, order: EngineOrder, filter: Buffer | undefined): Step[] {
  const { spec, way, processes } = order
  const command = [spec.file, ...spec.args]
  const target = warmTarget(order)
  const own: Step[] = [
    ...order.doors.map((door): Step => ['cgroup', door]),
    ...order.limits.map(({ resource, bytes }): Step => ['limit', String(resources[resource]), String(bytes)]),
    ...order.steps.flatMap((step): Step[] =>
      step.kind === 'layer' ? [['notes', step.upper, step.notes]] : [],
    ),
    ...(target === undefined ? [] : [['control', String(controlFd), target] as const]),
    ['unshare', 'net', 'cgroup', ...(powers.userNamespace ? ['user'] : [])],
    ...order.steps.flatMap(stepsOf),
    ...order.env.map(([name, value]): Step => ['setenv', name, value]),
    ['chdir', spec.cwd],
  ]
  if (processes !== undefined) own.push(['limit', String(processesResource), String(processes)])
  if (filter) own.push(['filter', filter.toString('hex')])
  if (powers.landlock) own.push(['landlock'])
  if (spec.argv0 !== undefined && !way) own.push(['argv0', spec.argv0])
  if (order.carried) {
    const { from, into, changes } = order.carried
    own.push(['apply', from, into, ...changes.flat()])
  } else own.push(['run', ...(way ? way.command(command) : command)])
  own.push(['end'])
  return own
}

function stepsOf(step: ViewStep): readonly Step[] {
  switch (step.kind) {
    case 'bind':
      return [[step.isWritable ? 'bind' : 'ro-bind', step.source, step.target]]
    case 'blank':
      return [['tmpfs', step.target, '0555', '']]
    case 'seal':
      return [['seal', step.target]]
    case 'memory':
      return [['tmpfs', step.target, step.mode, String(step.bytes)]]
    case 'link':
      return [['symlink', step.to, step.target]]
    case 'folder':
      return [['dir', step.target]]
    case 'proc':
      return [['proc'], ['tmpfs', '/proc/1', '0555', ''], ['seal', '/proc/1'], ['seal', '/proc']]
    case 'devices':
      return [['dev']]
    case 'layer':
      return [['layer', step.lower, step.upper, step.work, ...(step.below === undefined ? [] : [step.below])]]
  }
}

/** A word, how many arguments it has, and they, each ended by a NUL byte, which no argument can hold. */
function encode(plan: readonly Step[]): Buffer {
  const fields = plan.flatMap(([word, ...rest]) => [word, String(rest.length), ...rest])
  return Buffer.concat(fields.map((field) => Buffer.from(pathOfText(`${field}\0`) as Buffer)))
}
