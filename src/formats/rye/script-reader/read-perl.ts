// Perl: the specifications of Getopt::Long, such as `length|l=i`, and what the script's own documentation says.
import { descriptionIn } from './description-in.ts'
import { commentOnTop } from './read-shell.ts'
import {
  firstParagraph,
  paramName,
  type ScalarType,
  type ScriptInterface,
  type ScriptParam,
} from './script-interface.ts'
import { operandsOfUsage } from './usage-line.ts'

type PerlReading = ScriptInterface & { readonly packages: readonly string[] }

export function readPerl(given: string): PerlReading {
  // What it prints is read as it is shown.
  const text = given.replace(/\r\n?|\\n/g, '\n')
  const description =
    firstParagraph(/^[^\n]*\busage:[^\n]*\n\s*\n([A-Z][^\n"]*)/im.exec(text)?.[1]) ??
    firstParagraph(/^=head1 NAME\s+\S+\s+-+\s+([^\n]+)/m.exec(text)?.[1]) ??
    descriptionIn(commentOnTop(text))
  const told = { packages: [], notes: [], description: description || undefined }
  const written = /\bGetOptions(?:FromArray)?\s*\(([\s\S]*?)\)\s*(?:;|or\b|\|\|)/.exec(text)?.[1]
  if (written === undefined || !/\bGetopt::Long\b/.test(text)) return { ...told, commands: [] }
  const params = [
    ...written.matchAll(
      /(["'])([\w?|-]+)((?:[!+]|[=:][a-z0-9]+[@%]?(?:\{[^}]*\})?)?)\1\s*(?:=>|,)\s*(\\?[^\s,]+(?:\s*[$@%]\w+)?)/g,
    ),
  ]
    .map(([, , names, kind, target]) =>
      optionOf(text, { names: names!.split('|'), kind: kind!, target: target! }),
    )
    .filter((param) => !/^(h|help|man|version|usage)$/.test(param.name))
  return {
    ...told,
    by: 'Getopt::Long',
    commands: [{ words: [], params: [...params, ...operandsOf(text)] }],
  }
}

interface Specification {
  readonly names: readonly string[]
  /** `=i`, `=s@`, `!`, nothing. */
  readonly kind: string
  /** What it is put into: `\$length`, `\my $ratio`, `\@files`. */
  readonly target: string
}

const types: { readonly [letter: string]: ScalarType } = { i: 'integer', o: 'integer', f: 'number' }

function optionOf(text: string, { names, kind, target }: Specification): ScriptParam {
  const name = names.find((each) => each.length > 1) ?? names[0]!
  const flag = name.length > 1 ? `--${name}` : `-${name}`
  const facts = { name: paramName(name), flag, isRequired: false, description: said(text, flag) }
  if (!/^[=:]/.test(kind))
    return { ...facts, type: 'boolean', off: kind === '!' ? `--no-${name}` : undefined }
  const type = types[kind[1]!] ?? 'string'
  const isList = /[@%]/.test(kind) || /[@%]/.test(target)
  const variable = /\$(\w+)/.exec(target)?.[1]
  const value = variable === undefined ? undefined : initialValue(text, variable)
  return {
    ...facts,
    type,
    joint: flag.length > 2 ? '=' : '',
    ...(isList ? { list: 'repeated' as const, count: {} } : {}),
    fallback: value === undefined || isList ? undefined : type === 'string' ? value : Number(value),
  }
}

/** `my $length = 24;`, `my ($length, $file) = (24, "a");`. */
function initialValue(text: string, variable: string): string | undefined {
  const single = new RegExp(`\\$${variable}\\s*=\\s*([^;\\n]+);`).exec(text)?.[1]
  const listed = [...text.matchAll(/\bmy\s*\(([^)]*)\)\s*=\s*\(([^)]*)\)/g)].map(([, names, values]) => {
    const at = names!.split(',').findIndex((name) => name.trim() === `$${variable}`)
    return at < 0 ? undefined : values!.split(',')[at]
  })
  const written = (single ?? listed.find((value) => value !== undefined))?.trim() ?? ''
  return /^(?:"([^"$@\\]*)"|'([^'\\]*)'|(-?\d[\d.]*))$/
    .exec(written)
    ?.slice(1)
    .find((value) => value !== undefined)
}

/** `=item B<--length>` with the paragraph below it, or a line of a usage. */
function said(text: string, flag: string): string | undefined {
  const item = new RegExp(`^=item [^\\n]*${flag}\\b[^\\n]*\\n\\s*\\n([\\s\\S]*?)\\n\\s*\\n`, 'm').exec(
    text,
  )?.[1]
  const line = new RegExp(`^\\s*(?:-\\w[,|\\s]+)?${flag}\\b[^\\n]*?\\s{2,}(\\S[^\\n"]*)$`, 'm').exec(
    text,
  )?.[1]
  return firstParagraph(
    (item ?? line)?.replace(/[A-Z]<([^<>]*)>/g, '$1').replace(/\s*[[(]default:?[^\])]*[\])]/i, ''),
  )
}

function operandsOf(text: string): ScriptParam[] {
  const synopsis =
    /^=head1 SYNOPSIS\s+\S+[ \t]*(.*)$/m.exec(text)?.[1] ?? /usage:\s*\S+[ \t]+([^\n"]*)/i.exec(text)?.[1]
  const named = operandsOfUsage(synopsis ?? '')
  const readsRest = /@ARGV|\bshift\b|<>/.test(text)
  if (named.length > 0 || !readsRest) return named
  return [{ name: 'args', type: 'string', list: 'together', count: {}, isRequired: false }]
}
