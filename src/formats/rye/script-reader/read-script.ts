// What can this script be called with? Read, not run: the shebang or the ending names the language, and the language's
// reader knows the usual libraries.
import { basename, extname } from 'node:path'
import { PythonSource } from './python-source.ts'
import { readArgparse } from './read-argparse.ts'
import { readClick } from './read-click.ts'
import { readCommander } from './read-commander.ts'
import { readPlainArguments } from './read-plain-arguments.ts'
import { commentOnTop, readShell } from './read-shell.ts'
import { readParseArgs, readYargs } from './read-yargs.ts'
import { ScriptAst } from './script-ast.ts'
import { firstParagraph, type ScriptInterface } from './script-interface.ts'

export type ScriptLanguage = 'python' | 'javascript' | 'typescript' | 'shell' | 'other'

export interface ScriptReading extends ScriptInterface {
  readonly language: ScriptLanguage
  /** The program of the shebang, without its folder: `python3`, `bash`. */
  readonly interpreter?: string
  /** Why the language's parser refused it. */
  readonly fault?: { readonly line: number; readonly message: string }
  /** Names of third-party packages that it imports. */
  readonly packages: readonly string[]
}

/** The program a shebang names, `env` and its options looked through. */
function shebangProgram(text: string): string | undefined {
  const line = /^#!\s*(.+)$/m.exec(text.slice(0, 300))
  if (!line || !text.startsWith('#!')) return undefined
  const words = line[1]!.trim().split(/\s+/)
  const program = basename(words[0]!) === 'env' ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0]
  return program === undefined ? undefined : basename(program)
}

function languageOf(path: string, program: string | undefined): ScriptLanguage {
  if (program !== undefined) {
    if (/^(python|pypy|uv)/.test(program)) return 'python'
    if (/^(node|nodejs|bun)$/.test(program)) return /ts$/.test(path) ? 'typescript' : 'javascript'
    if (/^(tsx|ts-node|deno)$/.test(program)) return 'typescript'
    if (/^(ba|da|z|k)?sh$/.test(program)) return 'shell'
    return 'other'
  }
  const ending = extname(path)
  if (ending === '.py') return 'python'
  if (/^\.[cm]?js$/.test(ending)) return 'javascript'
  if (/^\.[cm]?ts$/.test(ending)) return 'typescript'
  if (/^\.(sh|bash|zsh)$/.test(ending)) return 'shell'
  return 'other'
}

export function readScript(path: string, text: string): ScriptReading {
  const interpreter = shebangProgram(text)
  const language = languageOf(path, interpreter)
  const common = { language, interpreter: interpreter || undefined }
  if (language === 'python') return { ...common, ...readPython(text) }
  if (language === 'javascript' || language === 'typescript')
    return { ...common, ...readJavaScript(path, text) }
  if (language === 'shell') return { ...common, packages: [], ...readShell(text) }
  return { ...common, packages: [], commands: [], notes: [] }
}

type Read = Omit<ScriptReading, 'language' | 'interpreter'>

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
        : readPlainArguments(source.text, 'sys.argv', 1)
  const description =
    found.description ?? firstParagraph(source.docstring) ?? firstParagraph(commentOnTop(source.text))
  return {
    ...found,
    ...(description ? { description } : {}),
    ...(readsInput ? { readsInput } : {}),
    packages,
  }
}

function readJavaScript(path: string, text: string): Read {
  const ast = new ScriptAst(path, text)
  const packages = scriptPackages(ast.text)
  if (ast.fault) return { commands: [], notes: [], packages, fault: ast.fault }
  const found = packages.includes('commander')
    ? readCommander(ast)
    : packages.includes('yargs')
      ? readYargs(ast)
      : (readParseArgs(ast) ?? readPlainArguments(ast.text, 'process.argv', 2))
  const comment = ast.comments[0]?.value.replace(/^[ \t]*\*+ ?/gm, '').replace(/^\s*@\w+.*$/gm, '')
  const isOnTop =
    comment !== undefined && /^\s*(\/\/|\/\*)/.test(ast.text.replace(/^\s*['"]use strict['"];?/, ''))
  const description =
    found.description ?? firstParagraph(isOnTop ? (lineComments(ast) ?? comment) : undefined)
  const readsInput = /\bprocess\.stdin\b|\/dev\/stdin|readFileSync\(0\b/.test(text)
  return {
    ...found,
    ...(description ? { description } : {}),
    ...(readsInput ? { readsInput } : {}),
    packages,
  }
}

/** A run of `//` lines at the top is one text. */
function lineComments(ast: ScriptAst): string | undefined {
  const lines = /^\s*((?:[ \t]*\/\/[^\n]*\n)+)/.exec(ast.text)?.[1]
  return lines?.replace(/^[ \t]*\/\/ ?/gm, '')
}

const standardPython = new Set(
  'abc argparse array ast asyncio base64 bisect bz2 calendar cmath cmd codecs collections colorsys concurrent configparser contextlib copy csv ctypes curses dataclasses datetime decimal difflib dis doctest email enum errno fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox math mimetypes mmap multiprocessing netrc numbers operator optparse os pathlib pickle pkgutil platform plistlib poplib posixpath pprint profile pstats pty pwd queue quopri random re readline reprlib resource sched secrets select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess sys sysconfig syslog tarfile tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser xml xmlrpc zipfile zipimport zlib zoneinfo __future__'.split(
    ' ',
  ),
)

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
  return [...found].filter((name) => !builtin.has(name))
}

const builtin = new Set(
  'assert buffer child_process cluster console crypto dgram dns events fs http http2 https net os path perf_hooks process querystring readline stream string_decoder timers tls tty url util v8 vm worker_threads zlib'.split(
    ' ',
  ),
)
