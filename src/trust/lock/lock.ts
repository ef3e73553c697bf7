// The lock of a crib: compares tools with what was approved, keeps apart those that differ, and writes approvals.
// A lock file that cannot be read locks everything.

import type { Spaces } from '../../config/spaces.ts'
import { FileDigests, type KnownDigests } from '../../files/file-digests.ts'
import { byCodeUnits, jsonDigest, sha256 } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import type { Static } from '../../tool/shape.ts'
import type { Tool } from '../../tool/tool.ts'
import { isMadeInCode } from '../../tool/tool.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Inference } from '../inference/inference.ts'
import { isSetAside } from '../set-aside.ts'
import type { driftShape, lockReportShape } from '../trust-shapes.ts'
import type { ApprovedTexts } from './approved-texts.ts'
import { capabilitiesOf, capabilityDifferences } from './capability-differences.ts'
import { isInFiles } from './definition.ts'
import { byRisk, type Difference, differences, newPin, programDifferences } from './differences.ts'
import {
  type Drift,
  driftFrom,
  keptApart,
  keyText,
  ownersOf,
  restoreHint,
  serverOf,
  unreadable,
} from './drift.ts'
import { lockName, type Pin, type Pins, type ProgramPin } from './lock-file.ts'
import { LockOnDisk } from './lock-on-disk.ts'
import { digestsOf, fileAt, lockPath, pinTool } from './pin-tool.ts'
import { assignKeys, isPinnable } from './tool-keys.ts'

export interface LockOptions {
  readonly spaces: Spaces
  /** Refuse what is not in the lock file too. */
  readonly frozen: boolean
  /** Keeps answers between runs; absent: nothing is kept. */
  readonly memory?: LockMemory
}

/** Where answers are kept between runs: a JSON document by name, under a key that must fit. */
export interface LockMemory {
  read<T>(name: string, key: string): T | undefined
  write(name: string, key: string, data: unknown): void
}

/** One difference of one tool, as commands and the console show it. */
export interface DriftEntry extends Static<typeof driftShape> {}

/** A tool as it stands, to be looked at and then accepted as exactly that. */
export interface Offer {
  readonly pin: Pin
  readonly entries: readonly DriftEntry[]
}

export interface LockReport extends Static<typeof lockReportShape> {}

type Verdicts = { readonly [key: string]: Drift }

export class Lock {
  readonly #disk: LockOnDisk
  /** Tells what code can touch; without it nothing is said of that. */
  inference: Inference | undefined
  readonly #options: LockOptions
  #digests: FileDigests | undefined
  #tools: readonly Tool[] = []
  #keys: ReadonlyMap<string, { readonly key: string; readonly tool: Tool }> = new Map()
  #verdicts: Verdicts = {}

  constructor(options: LockOptions) {
    this.#options = options
    this.#disk = new LockOnDisk(options.spaces)
  }

  get file(): string {
    return this.#disk.file
  }

  /** What was approved, as far as it is kept. */
  get approvedTexts(): ApprovedTexts {
    return this.#disk.approvedTexts
  }

  /** The file that a path of the lock file means here. */
  fileAt(path: string): string {
    return fileAt(path, this.#options.spaces)
  }

  get isFrozen(): boolean {
    return this.#options.frozen
  }

  /** False when every tool may run as far as the lock goes. */
  get isActive(): boolean {
    if (this.#options.frozen) return true
    const { pins, fault } = this.#disk.load()
    return pins !== null || fault !== null
  }

  /** True when the lock file is not the one that the last `mark` went by. */
  get isOutdated(): boolean {
    return this.#disk.isOutdated
  }

  /** What is wrong with the lock file itself. */
  get problems(): Problem[] {
    const { fault, pins } = this.#disk.load()
    if (fault !== null)
      return [this.#problem('lock-invalid', `${lockName} cannot be used: ${fault}.`, restoreHint)]
    if (this.isFrozen && pins === null)
      return [
        this.#problem(
          'lock-missing',
          `There is no ${lockName} to hold the tools to.`,
          'Run `toolcrib lock`.',
        ),
      ]
    if (!this.isFrozen) return []
    return this.#gone().map((key) =>
      this.#problem(
        'pinned-missing',
        `${key} is in ${lockName} and not in the crib.`,
        'Run `toolcrib lock`.',
      ),
    )
  }

  /**
   * The tools with those that drifted kept apart. `stamp` stands for everything the tools were read from: what was
   * found under the same stamp and the same lock file is not looked at again.
   */
  mark(tools: readonly Tool[], stamp: string): readonly Tool[] {
    this.#tools = tools
    const { pins, fault, digest } = this.#disk.reload()
    this.#keys = new Map()
    this.#verdicts = {}
    if (!this.isFrozen && pins === null && fault === null) return tools
    this.#keys = assignKeys(tools, this.#options.spaces, pins)
    const others = tools.flatMap((tool) => (isInFiles(tool) ? [] : [tool]))
    const facts = others.map((tool) => `${tool.format}:${tool.id}:${tool.source.digest}`)
    const key = sha256([stamp, digest, this.isFrozen, ...facts].join('\n'))
    // Tools of files, of servers and of the store come one after the other, each with a state of its own.
    const kept = this.#options.memory?.read<readonly (readonly [string, Verdicts])[]>('drift', '1') ?? []
    const known = kept.find(([of]) => of === key)?.[1]
    this.#verdicts = known ?? this.#judgeAll()
    if (!known) this.#options.memory?.write('drift', '1', [[key, this.#verdicts], ...kept].slice(0, 4))
    this.#keepDigests()
    return tools.map((tool) => {
      const drift = this.#verdicts[this.#keyOf(tool) ?? '']
      return drift ? keptApart(tool, drift, fault !== null) : tool
    })
  }

  /** Why a tool must not run now: what `mark` found, or files that changed since. */
  driftOf(tool: Tool): Drift | null {
    if (!this.isActive || tool.tier === 'system') return null
    const key = this.#keyOf(tool)
    if (key === undefined) return isMadeInCode(tool) ? null : this.#unpinned(tool)
    const known = this.#verdicts[key]
    if (known) return known
    const pin = this.#disk.load().pins?.get(key)
    if (!pin) return null
    const base = this.#keys.get(keyText(tool))?.tool ?? tool
    const now = digestsOf(base, this.#sources())
    const names = Object.keys(now)
    const isSame =
      names.length === Object.keys(pin.files).length && names.every((name) => now[name] === pin.files[name])
    if (isSame) return null
    const found = differences({ ...pin, definition: '' }, { ...pin, definition: '', files: now })
    return driftFrom(this.#gained(base, pin, found))
  }

  /** Refuses bytes that are about to run and are not those that were approved. */
  verifyBytes(file: string, bytes: Uint8Array): void {
    const path = lockPath(file, this.#options.spaces)
    const approved = this.#disk.approvedDigests().get(path)
    if (approved === undefined || approved.has(sha256(bytes))) return
    throw new ToolError('TRUST_DRIFT', `${file} changed since it was approved.`, {
      hint: 'See `toolcrib diff`, then `toolcrib approve <tool>`.',
    })
  }

  /** The approved digest of every file of a tool by its path; null when the tool is not pinned. */
  pinnedFiles(tool: Tool): { readonly [file: string]: string } | null {
    const { pins } = this.#disk.load()
    const key = pins && this.#keyOf(tool)
    const pin = key ? pins.get(key) : undefined
    if (!pin) return null
    return Object.fromEntries(
      Object.entries(pin.files).map(([path, digest]) => [fileAt(path, this.#options.spaces), digest]),
    )
  }

  /** What the lock file says of a tool, when it is that: under which key, and the digest of all of it. */
  pinOf(tool: Tool): { readonly key: string; readonly digest: string } | null {
    const { pins } = this.#disk.load()
    const key = pins && this.#keyOf(tool)
    const pin = key ? pins.get(key) : undefined
    return key && pin && this.driftOf(tool) === null ? { key, digest: jsonDigest({ ...pin }) } : null
  }

  /** Of the lock file as a whole; null where there is none. */
  get digest(): string | null {
    const { pins, digest } = this.#disk.load()
    return pins === null ? null : digest
  }

  /** Changes when the tool's definition or one of its files does. */
  stateOf(tool: Tool): string {
    return jsonDigest({ ...pinTool(tool, this.#sources(), false) })
  }

  pinnedProgram(tool: Tool, name: string): ProgramPin | undefined {
    const { pins } = this.#disk.load()
    const key = pins && this.#keyOf(tool)
    return key ? pins.get(key)?.programs?.[name] : undefined
  }

  /** How the crib stands against its lock file; programs are looked at too. */
  report(): LockReport {
    const { pins } = this.#disk.load()
    const drifted: DriftEntry[] = []
    const unpinned: string[] = []
    for (const { key, tool } of this.#keys.values()) {
      const pin = pins?.get(key)
      if (!pin && isPinnable(tool)) unpinned.push(key)
      const found = [
        ...(this.#verdicts[key]?.differences ?? []),
        ...(pin ? this.#programDrift(tool, pin) : []),
      ]
      drifted.push(...byRisk(found).map((difference) => ({ tool: tool.id, ...difference })))
    }
    const [problem] = this.problems.filter(({ code }) => code !== 'pinned-missing')
    return {
      locked: pins !== null,
      frozen: this.isFrozen,
      pinned: pins?.size ?? 0,
      drifted,
      unpinned: unpinned.sort(byCodeUnits),
      gone: this.#gone(),
      problem,
    }
  }

  /** Pins every tool as it is now. Pins of servers that could not be asked stay. */
  pinAll(options: { readonly programs: boolean; readonly keepServers: readonly string[] }): {
    readonly pinned: number
    readonly left: readonly string[]
  } {
    const before = this.#disk.usable()
    const keys = assignKeys(this.#tools, this.#options.spaces)
    const pins = new Map<string, Pin>()
    const left: string[] = []
    for (const { key, tool } of keys.values()) {
      if (!isPinnable(tool)) continue
      if (tool.state === 'invalid' || tool.trust.status === 'tampered' || isSetAside(tool)) left.push(key)
      else pins.set(key, this.#pinned(tool, options.programs))
    }
    for (const [key, pin] of before ?? []) {
      const server = serverOf(pin)
      if (!pins.has(key) && server !== undefined && options.keepServers.includes(server)) pins.set(key, pin)
    }
    this.#disk.write(pins)
    return { pinned: pins.size, left }
  }

  /** Pins these tools as they are now and leaves the others as they were; makes the file where there is none. */
  pin(tools: readonly Tool[]): void {
    const pins = new Map(this.#disk.usable() ?? [])
    const wanted = new Set(tools.map(({ id }) => id))
    for (const { key, tool } of assignKeys(this.#tools, this.#options.spaces).values())
      if (wanted.has(tool.id) && isPinnable(tool) && tool.state !== 'invalid')
        pins.set(key, this.#pinned(tool, true))
    this.#disk.write(pins)
  }

  /** What approving a tool now would write, and what that changes. */
  offer(tool: Tool): Offer {
    const pins = this.#disk.usable()
    if (pins === null)
      throw new ToolError('CONFLICT', `There is no ${lockName}, so there is nothing to approve.`, {
        hint: 'Pin every tool as it is with `toolcrib lock`.',
      })
    const known = this.#keys.get(keyText(tool))
    if (!known || !isPinnable(known.tool))
      throw new ToolError('CONFLICT', `${tool.id} is not a tool that ${lockName} pins.`, {
        hint: 'It pins tools of the project and of its MCP servers.',
      })
    const old = pins.get(known.key)
    const pin = this.#pinned(known.tool, old === undefined || old.programs !== undefined)
    const found = old
      ? [...this.#gained(known.tool, old, differences(old, pin)), ...programDifferences(old, pin)]
      : [newPin(known.key)]
    return { pin, entries: byRisk(found).map((difference) => ({ tool: tool.id, ...difference })) }
  }

  /** Accepts a tool as it was offered; gives back what that changes. What changed since the offer is not accepted. */
  approve(tool: Tool, offered: Offer = this.offer(tool)): readonly DriftEntry[] {
    if (jsonDigest({ ...this.offer(tool).pin }) !== jsonDigest({ ...offered.pin }))
      throw new ToolError(
        'CONFLICT',
        `${tool.id} changed again while it was looked at; nothing was accepted.`,
        {
          hint: `See \`toolcrib diff ${tool.id}\`, then approve it again.`,
        },
      )
    const key = this.#keyOf(tool)!
    if (offered.entries.length > 0)
      this.#disk.write(new Map([...(this.#disk.usable() ?? []), [key, offered.pin]]))
    return offered.entries
  }

  #judgeAll(): Verdicts {
    const { pins, fault } = this.#disk.load()
    const verdicts: Record<string, Drift> = {}
    const owners = ownersOf(pins)
    for (const { key, tool } of this.#keys.values()) {
      const drift = fault !== null ? unreadable(fault) : this.#judge(key, tool, pins, owners)
      if (drift) verdicts[key] = drift
    }
    return verdicts
  }

  #judge(key: string, tool: Tool, pins: Pins | null, owners: ReadonlyMap<string, string>): Drift | null {
    const pin = isPinnable(tool) ? pins?.get(key) : undefined
    if (pin) {
      const found = differences(pin, pinTool(tool, this.#sources(), false, pin))
      return found.length > 0 ? driftFrom(this.#gained(tool, pin, found)) : null
    }
    const owner = tool.state === 'shadowed' ? undefined : owners.get(tool.id)
    if (owner !== undefined && owner !== key)
      return driftFrom([
        {
          field: 'id',
          before: owner,
          after: key,
          risk: 'high',
          what: `it takes the name ${tool.id}, which ${owner} was approved under`,
        },
      ])
    return this.isFrozen ? this.#unpinned(tool) : null
  }

  /** A pin with what the code can touch. */
  #pinned(tool: Tool, withPrograms: boolean): Pin {
    const { tool: definition, ...pin } = pinTool(tool, this.#sources(), withPrograms)
    const capabilities = this.inference && capabilitiesOf(this.inference.of(tool))
    return capabilities ? { ...pin, capabilities, tool: definition } : { ...pin, tool: definition }
  }

  /** What a changed tool can touch now and could not, before what changed in it. Nothing of an unchanged one. */
  #gained(tool: Tool, { capabilities }: Pin, found: readonly Difference[]): Difference[] {
    if (found.length === 0 || !capabilities || !this.inference) return [...found]
    const shown = (file: string): string => lockPath(file, this.#options.spaces)
    return byRisk([...capabilityDifferences(capabilities, this.inference.of(tool), shown), ...found])
  }

  #unpinned(tool: Tool): Drift | null {
    const { fault } = this.#disk.load()
    if (fault !== null) return unreadable(fault)
    return this.isFrozen ? { reason: `${tool.id} is not in ${lockName}`, differences: [] } : null
  }

  #programDrift(tool: Tool, pin: Pin): Difference[] {
    return pin.programs ? programDifferences(pin, pinTool(tool, this.#sources())) : []
  }

  #gone(): string[] {
    const present = new Set([...this.#keys.values()].map(({ key }) => key))
    return [...(this.#disk.load().pins?.keys() ?? [])].filter((key) => !present.has(key))
  }

  #keyOf(tool: Tool): string | undefined {
    return this.#keys.get(keyText(tool))?.key
  }

  #sources() {
    this.#digests ??= new FileDigests(this.#options.memory?.read<KnownDigests>('digests', 'digests'))
    return { spaces: this.#options.spaces, digests: this.#digests }
  }

  #keepDigests(): void {
    if (!this.#digests?.hasNew) return
    this.#options.memory?.write('digests', 'digests', this.#digests.all)
    this.#digests.hasNew = false
  }

  #problem(code: string, message: string, hint: string): Problem {
    return { code, severity: 'error', message, hint, file: this.file, line: 1 }
  }
}
