// The files that the usual programs of a command line read and write.
import { exact, given, type TextValue, unknown } from '../value.ts'
import type { ShellContext } from './follow-command.ts'
import { followCommand } from './follow-command.ts'
import { copiers, readers, takesWord, writers } from './programs.ts'

/** What it prints; undefined when it is no such program. */
export function followFiles(
  name: string,
  args: readonly TextValue[],
  context: ShellContext,
): TextValue | undefined {
  const { findings, at, input } = context
  if (name === 'find') return followFind(args, context)
  if (name === 'dd') return followDd(args, context)
  if (name === 'tar') return followTar(args, context)
  const files = filesAmong(name, args)
  if (readers[name] !== undefined) {
    const isWriting =
      name === 'sed' && args.some(({ text }) => /^-[a-zA-Z]*i/.test(text) || text.startsWith('--in-place'))
    if (/^(?:g|m)?awk$/.test(name)) followAwk(args, context)
    for (const file of files) findings.path('fs.read', file, at)
    if (isWriting || name === 'unzip' || name === 'gunzip')
      for (const file of files) findings.path('fs.write', file, at)
    if (/^(?:g?unzip|zcat|bzcat|xzcat)$/.test(name)) return { ...unknown, origin: input?.origin ?? 'decoded' }
    if (files.length > 0) return unknown
    return name === 'cat' || !input ? (input ?? unknown) : { ...unknown, origin: input.origin }
  }
  if (writers.has(name)) {
    const isMode = /^(?:chmod|chown|chgrp|chattr|setfacl)$/.test(name)
    for (const file of isMode ? files.slice(1) : files) findings.path('fs.write', file, at)
    if (/^(?:gzip|bzip2|xz)$/.test(name) && args.some(({ text }) => /^-[a-z]*d/.test(text)))
      return { ...unknown, origin: input?.origin ?? 'decoded' }
    return name === 'tee' ? (input ?? unknown) : exact('')
  }
  if (copiers.has(name)) {
    const isMove = name === 'mv'
    for (const file of files.slice(0, -1))
      if (!isRemote(file)) findings.path(isMove ? 'fs.write' : 'fs.read', file, at)
    const last = files.at(-1)
    if (last && !isRemote(last)) findings.path('fs.write', last, at)
    return exact('')
  }
  return undefined
}

function isRemote({ text }: TextValue): boolean {
  return /^[^/\s]+:/.test(text)
}

/** The arguments that are no options and not the program of a filter. */
function filesAmong(name: string, args: readonly TextValue[]): TextValue[] {
  const withWord = takesWord[name]
  const files: TextValue[] = []
  let skipped = readers[name] ?? 0
  let isPlain = false
  for (let i = 0; i < args.length; i++) {
    const { text } = args[i]!
    if (!isPlain && text === '--') isPlain = true
    else if (!isPlain && /^-./.test(text)) {
      if (/^-[a-zA-Z]*[ef]$/.test(text) && /^(?:grep|egrep|sed|awk|gawk|jq)$/.test(name)) skipped = 0
      if (withWord?.test(text)) i++
    } else if (skipped > 0) skipped--
    else files.push(args[i]!)
  }
  return files
}

function followFind(args: readonly TextValue[], context: ShellContext): TextValue {
  const { findings, at } = context
  const firstOption = args.findIndex(({ text }) => /^[-(!]/.test(text))
  const places = firstOption === -1 ? args : args.slice(0, firstOption)
  for (const place of places.length > 0 ? places : [exact('.')]) findings.path('fs.read', place, at)
  if (args.some(({ text }) => text === '-delete'))
    for (const place of places) findings.path('fs.write', place, at)
  const started = args.findIndex(({ text }) => /^-(?:exec|execdir|ok|okdir)$/.test(text))
  if (started !== -1) {
    const end = args.findIndex(({ text }, index) => index > started && (text === ';' || text === '+'))
    const words = args.slice(started + 1, end === -1 ? undefined : end)
    followCommand(
      words.map((word) => (word.text === '{}' ? given : word)),
      { ...context, input: undefined },
    )
  }
  return unknown
}

function followDd(args: readonly TextValue[], { findings, at }: ShellContext): TextValue {
  for (const arg of args) {
    if (arg.text.startsWith('if=')) findings.path('fs.read', { ...arg, text: arg.text.slice(3) }, at)
    if (arg.text.startsWith('of=')) findings.path('fs.write', { ...arg, text: arg.text.slice(3) }, at)
  }
  return unknown
}

function followTar(args: readonly TextValue[], { findings, at, input }: ShellContext): TextValue {
  const [flags, ...rest] = args
  const isMaking = /^-?[a-zA-Z]*c/.test(flags?.text ?? '') || args.some(({ text }) => text === '--create')
  const hasFile = /^-?[a-zA-Z]*f/.test(flags?.text ?? '')
  const words = rest.filter(({ text }) => !/^-./.test(text))
  const [archive, ...members] = hasFile ? words : [undefined, ...words]
  if (isMaking) {
    if (archive) findings.path('fs.write', archive, at)
    for (const member of members) findings.path('fs.read', member, at)
  } else if (archive) {
    findings.path('fs.read', archive, at)
    if (!/^-?[a-zA-Z]*t/.test(flags?.text ?? '')) findings.path('fs.write', members[0] ?? exact('.'), at)
  }
  return { ...unknown, origin: input?.origin }
}

/** A program of awk may start others. */
function followAwk(args: readonly TextValue[], { findings, at }: ShellContext): void {
  const program = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  if (/\bsystem\s*\(|\|\s*getline|print[^;}\n]*\|\s*"/.test(program)) {
    const [, started] = /(?:system\s*\(\s*|\|\s*)"([^"\s]+)/.exec(program) ?? []
    findings.add('shell.execute', at, started, started ? 'exact' : 'unknown')
  }
}
