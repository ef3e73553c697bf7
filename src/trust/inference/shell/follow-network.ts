// The hosts that programs of a command line reach.
import type { CapabilityName } from '../../../tool/capabilities.ts'
import { hole, type TextValue, unknown } from '../value.ts'
import type { ShellContext } from './follow-command.ts'
import { connectors, fetchers, remote, stayLocal } from './programs.ts'

/** What it prints; undefined when it reaches nobody. */
export function followNetwork(
  name: string,
  args: readonly TextValue[],
  context: ShellContext,
): TextValue | undefined {
  const { findings, at } = context
  if (fetchers.has(name)) return followFetch(args, context)
  if (connectors.has(name)) return followConnection(name, args, context)
  if (name === 'rsync' || name === 'git') return followRemote(name, args, context)
  if (name === 'openssl' && args[0]?.text === 's_client') return followSecured(args, context)
  const capability = remote[name] as CapabilityName | undefined
  if (!capability) return undefined
  const part = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  const isAsked = args.length === 1 && /^(?:-[hvV]|--help|--version)$/.test(args[0]!.text)
  if (isAsked || stayLocal[name]?.test(part)) return undefined
  findings.add(capability, at, undefined, 'unknown')
  return { ...unknown, origin: 'downloaded' }
}

function followSecured(args: readonly TextValue[], { findings, at }: ShellContext): TextValue {
  const flag = args.findIndex(({ text }) => /^--?(?:connect|host)$/.test(text))
  if (flag === -1) findings.add('net.call', at, undefined, 'unknown')
  else findings.host(args[flag + 1] ?? unknown, at)
  return { ...unknown, origin: 'downloaded' }
}

const savesTo = /^(?:-o|--output|-O|--output-document|-D|--dump-header|-c|--cookie-jar)$/
const readsFrom = /^(?:-T|--upload-file|-K|--config|--post-file|--body-file|-b|--cert|--key|-E)$/
const sends =
  /^(?:-d|--data|--data-binary|--data-raw|--data-urlencode|--data-ascii|-F|--form|-H|--header|--json)$/
const skipsWord =
  /^(?:-H|--header|-X|--request|-A|--user-agent|-u|--user|-e|--referer|-m|--max-time|--connect-timeout|--retry|-x|--proxy|-w|--write-out|-r|--range|-t|--tries|--timeout|-P|--method|--data|--json|-d|--data-raw|--data-binary|--data-urlencode|-F|--form|-U)$/

function followFetch(args: readonly TextValue[], { findings, at }: ShellContext): TextValue {
  let isReached = false
  let isKept = false
  for (let i = 0; i < args.length; i++) {
    const { text } = args[i]!
    const next = args[i + 1]
    if (savesTo.test(text) && next && !(text === '-O' && /:\/\//.test(next.text))) {
      isKept = next.text !== '-'
      findings.path('fs.write', next, at)
      i++
    } else if (readsFrom.test(text) && next) {
      if (!(text === '-b' && next.text.includes('='))) findings.path('fs.read', next, at)
      i++
    } else if (sends.test(text) && next) {
      const file = /(?:^|=)@([^;]+)/.exec(next.text)?.[1]
      if (file !== undefined) findings.path('fs.read', { ...next, text: file }, at)
      i++
    } else if (skipsWord.test(text)) i++
    else if (!text.startsWith('-')) {
      const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || text.startsWith(hole)
      findings.address(isAddress ? args[i]! : { ...args[i]!, text: `http://${text}` }, at)
      isReached = true
    }
  }
  if (!isReached) findings.add('net.http', at, undefined, 'unknown')
  return isKept ? unknown : { ...unknown, origin: 'downloaded' }
}

const hostOption = /^-[pPilobcFeEswqWLRDtJmSQkV]$/

function followConnection(
  name: string,
  args: readonly TextValue[],
  { findings, at }: ShellContext,
): TextValue {
  const words: TextValue[] = []
  for (let i = 0; i < args.length; i++) {
    const { text } = args[i]!
    if (hostOption.test(text) && !/^(?:nc|ncat|netcat)$/.test(name)) i++
    else if (/^-[ec]$/.test(text) && /^(?:nc|ncat|netcat)$/.test(name) && args[i + 1])
      findings.program(args[++i]!, at)
    else if (/^-[pwsiXx]$/.test(text)) i++
    else if (!/^[-+@]/.test(text)) words.push(args[i]!)
    else if (/^@/.test(text)) words.unshift({ ...args[i]!, text: text.slice(1) })
  }
  const hosts = /^(?:scp|sftp)$/.test(name)
    ? words.filter(({ text }) => /^[^/]*:/.test(text))
    : words.slice(0, 1)
  if (name === 'scp')
    for (const word of words) if (!/^[^/]*:/.test(word.text)) findings.path('fs.read', word, at)
  const target =
    name === 'socat' ? words.find(({ text }) => /^(?:tcp|udp|ssl|openssl)/i.test(text)) : hosts[0]
  if (name === 'socat' && target) {
    const host = target.text.split(/[:,]/)[1] ?? ''
    findings.add('net.call', at, host.includes(hole) || host === '' ? undefined : host, target.certainty)
    for (const { text } of words) {
      const program = /^(?:exec|system):["']?([^\s"',]+)/i.exec(text)?.[1]
      if (program) findings.add('shell.execute', at, program.replace(/^.*\//, ''), 'exact')
    }
    return { ...unknown, origin: 'downloaded' }
  }
  const [, host] = /^(?:[^@]*@)?([^:/]*)/.exec(target?.text ?? '') ?? []
  const isKnown = host !== undefined && host !== '' && !host.includes(hole)
  const port =
    words[1] && /^\d+$/.test(words[1].text) && /^(?:nc|ncat|netcat|telnet)$/.test(name)
      ? `:${words[1].text}`
      : ''
  const shown = isKnown
    ? `${host}${port}`
    : host?.includes(hole) && host !== hole
      ? host.split(hole).join('*')
      : undefined
  findings.add('net.call', at, shown, isKnown ? 'exact' : (target?.certainty ?? 'unknown'))
  return { ...unknown, origin: 'downloaded' }
}

const speaks = new Set(['clone', 'push', 'pull', 'fetch', 'ls-remote', 'submodule', 'remote'])

function followRemote(
  name: string,
  args: readonly TextValue[],
  { findings, at }: ShellContext,
): TextValue | undefined {
  const places = args.filter(
    ({ text }) => /^[a-z+]+:\/\//.test(text) || /^[\w.-]+@?[\w.-]*:(?!\\)/.test(text),
  )
  const part = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  if (name === 'git' && !speaks.has(part)) return undefined
  if (name === 'git' && part === 'remote' && places.length === 0) return undefined
  for (const place of places) {
    const [, host] = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^:/]+)/.exec(place.text) ?? []
    const capability = place.text.startsWith('http') ? 'net.http' : 'net.call'
    findings.add(
      capability,
      at,
      host?.includes(hole) ? undefined : host,
      place.certainty === 'exact' || !host?.includes(hole) ? 'exact' : place.certainty,
    )
  }
  if (places.length === 0 && name === 'git') findings.add('net.http', at, undefined, 'unknown')
  return name === 'git' ? unknown : undefined
}
