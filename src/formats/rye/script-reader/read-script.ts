// What can this script be called with? Read, not run: the shebang or the ending names the language, and the language's
// reader knows the usual libraries.
import { languageOf, type ScriptLanguage, shebangProgram, shebangWords } from '../../script-language.ts'
import { nodeModules, standardPython } from '../../standard-modules.ts'
import { descriptionIn } from './description-in.ts'
import { PythonSource } from './python-source.ts'
import { readArgparse } from './read-argparse.ts'
import { readClick } from './read-click.ts'
import { readCommander } from './read-commander.ts'
import { readDocopt } from './read-docopt.ts'
import { readFire } from './read-fire.ts'
import { readMeow } from './read-meow.ts'
import { readPerl } from './read-perl.ts'
import { readPlainArguments } from './read-plain-arguments.ts'
import { commentOnTop, readShell } from './read-shell.ts'
import { readParseArgs, readYargs } from './read-yargs.ts'
import { ScriptAst } from './script-ast.ts'
import { firstParagraph, type ScriptInterface } from './script-interface.ts'
import { unreadArguments } from './unread-arguments.ts'

export interface ScriptReading extends ScriptInterface {
  readonly language: ScriptLanguage
  /** The program of the shebang, without its folder, and its words: `python3`, `awk -f`. Absent: there is no shebang. */
  readonly starter?: readonly string[]
  /** Why the language's parser refused it. */
  readonly fault?: { readonly line: number; readonly message: string }
  /** Names of third-party packages that it imports. */
  readonly packages: readonly string[]
}

export function readScript(path: string, text: string): ScriptReading {
  const language = languageOf(path, shebangProgram(text))
  const starter = shebangWords(text)
  const common = { language, starter: starter.length > 0 ? starter : undefined }
  if (language === 'python') return { ...common, ...readPython(text) }
  if (language === 'javascript' || language === 'typescript')
    return { ...common, ...readJavaScript(path, text) }
  if (language === 'shell') return { ...common, packages: [], ...readShell(text) }
  if (/^perl/.test(starter[0] ?? '') || /\.(pl|pm)$/.test(path)) return { ...common, ...readPerl(text) }
  const description = starter.length > 0 ? descriptionIn(commentOnTop(text)) : undefined
  return { ...common, packages: [], commands: [], notes: [], description: description || undefined }
}

type Read = Omit<ScriptReading, 'language' | 'starter'>

function readPython(text: string): Read {
  const source = new PythonSource(text)
  const packages = pythonPackages(source.text)
  if (source.fault) return { commands: [], notes: [], packages, fault: source.fault }
  const readsInput = /\bsys\.stdin\b|\binput\(/.test(source.text)
  const found =
    source.imports('typer') || source.imports('click')
      ? readClick(source)
      : source.imports('argparse') || source.imports('optparse')
        ? readArgparse(source)
        : source.imports('docopt')
          ? readDocopt(source)
          : ((source.imports('fire') ? readFire(source) : undefined) ??
            readPlainArguments(source.text, 'sys.argv', 1))
  const description =
    found.description ?? firstParagraph(source.docstring) ?? descriptionIn(commentOnTop(source.text))
  return {
    ...withUnread(found, packages, source.text),
    description: description || undefined,
    ...(readsInput ? { readsInput } : {}),
    packages,
  }
}

/** Nothing named was found, and something else may take arguments: that is not the same as taking none. */
function withUnread(found: ScriptInterface, packages: readonly string[], text: string): ScriptInterface {
  const isTold = found.commands.some(({ params }) => params.some(({ name }) => name !== 'args'))
  const note = isTold ? undefined : unreadArguments(packages, text)
  return note === undefined ? found : { ...found, notes: [...found.notes, note] }
}

function readJavaScript(path: string, text: string): Read {
  const ast = new ScriptAst(path, text)
  const packages = scriptPackages(ast.text)
  if (ast.fault) return { commands: [], notes: [], packages, fault: ast.fault }
  const found = packages.includes('commander')
    ? readCommander(ast)
    : packages.includes('yargs')
      ? readYargs(ast)
      : ((packages.includes('meow') ? readMeow(ast) : undefined) ??
        readParseArgs(ast) ??
        readPlainArguments(ast.text, 'process.argv', 2))
  const comment = ast.comments[0]?.value.replace(/^[ \t]*\*+ ?/gm, '').replace(/^\s*@\w+.*$/gm, '')
  const isOnTop =
    comment !== undefined && /^\s*(\/\/|\/\*)/.test(ast.text.replace(/^\s*['"]use strict['"];?/, ''))
  const description = found.description ?? descriptionIn(isOnTop ? (lineComments(ast) ?? comment) : undefined)
  const readsInput = /\bprocess\.stdin\b|\/dev\/stdin|readFileSync\(0\b/.test(text)
  return {
    ...withUnread(found, packages, ast.text),
    description: description || undefined,
    ...(readsInput ? { readsInput } : {}),
    packages,
  }
}

/** A run of `//` lines at the top is one text. */
function lineComments(ast: ScriptAst): string | undefined {
  const lines = /^\s*((?:[ \t]*\/\/[^\n]*\n)+)/.exec(ast.text)?.[1]
  return lines?.replace(/^[ \t]*\/\/ ?/gm, '')
}

function pythonPackages(text: string): string[] {
  const found = new Set<string>()
  for (const [, from, plain] of text.matchAll(
    /^[ \t]*(?:from[ \t]+([A-Za-z_]\w*)|import[ \t]+([\w., \t]+))/gm,
  ))
    for (const name of (from ?? plain ?? '').split(',')) {
      const root = name.trim().split(/[.\s]/)[0]!
      if (root !== '' && !standardPython.has(root)) found.add(root)
    }
  return [...found]
}

function scriptPackages(text: string): string[] {
  const found = new Set<string>()
  for (const [, name] of text.matchAll(
    /(?:\bfrom\s*|\bimport\s*|\brequire\(\s*|\bimport\(\s*)['"]([^'"./][^'"]*)['"]/g,
  )) {
    if (name!.startsWith('node:')) continue
    const root = name!.startsWith('@') ? name!.split('/').slice(0, 2).join('/') : name!.split('/')[0]!
    found.add(root)
  }
  return [...found].filter((name) => !nodeModules.has(name))
}
