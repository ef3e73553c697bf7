// Draws terminal sessions. `node scripts/terminal-picture.mjs` runs the commands of each for real in a fresh crib and
// writes what they print, with its colours, to a picture of docs/. `npm run build` comes first.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const home = fileURLToPath(new URL('..', import.meta.url))

const noteTool = `#!/bin/bash
# @version 1.0.0
# @tool_type script
# @executor_id rye/core/runtimes/bash/bash
# @category notes
# @description Sort the notes and add a line
# @param {string} text - The line
set -eu
printf '%s\\n' "$PARAM_TEXT" >> notes.txt
sort -o notes.txt notes.txt
printf '{"success": true}\\n'
`

const digestScript = `"""Write down how long the documents are."""
import os

os.makedirs('out', exist_ok=True)
with open('out/digest.txt', 'w') as digest:
    for name in ('a', 'b'):
        digest.write(f"{name} {len(open(f'docs/{name}.md').read())}\\n")
print('done')
`

/**
 * Each with the files of its crib, what is done before and not drawn, and what is typed; `<run>` stands for the run that
 * the line before it names.
 */
export const sessions = [
  {
    picture: join(home, 'docs', 'undo-session.svg'),
    label: 'A terminal: a call is previewed, run, looked at and undone',
    files: { '.ai/tools/notes/add.sh': noteTool, 'notes.txt': 'call Ada\nwater the plants\n' },
    commands: [
      'cat notes.txt',
      'toolcrib run notes/add --text "buy bread" --preview',
      'toolcrib run notes/add --text "buy bread"',
      'toolcrib runs show <run> --diff',
      'toolcrib undo <run>',
      'cat notes.txt',
    ],
  },
  {
    picture: join(home, 'docs', 'learn-session.svg'),
    label: 'A terminal: a tool is watched, the smallest grants are proposed, proved and written',
    files: { 'digest.py': digestScript, 'docs/a.md': 'one\n', 'docs/b.md': 'two\n' },
    before: 'toolcrib add ./digest.py --yes',
    commands: ['cat digest.py', 'toolcrib learn digest --verify --write', 'toolcrib run digest -q'],
  },
]

/** The session as SVG: the same text each time, because what differs (the id of the run) is written as one id. */
export function drawSession(session) {
  return drawLines(session.label, runSession(session))
}

/** What stands on the screen, with escape sequences. */
function runSession({ files, before = '', commands }) {
  const top = mkdtempSync(join(tmpdir(), 'toolcrib-session-'))
  try {
    const crib = join(top, 'crib')
    const programs = join(top, 'bin')
    const settings = join(top, 'home/.config/toolcrib')
    for (const folder of [crib, programs, settings]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(settings, 'config.yaml'), 'trust: "off"\n')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(crib, path)), { recursive: true })
      writeFileSync(join(crib, path), text)
    }
    const program = join(programs, 'toolcrib')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(home, 'dist/cli.js')}' "$@"\n`)
    chmodSync(program, 0o755)
    const env = {
      PATH: `${programs}${delimiter}${process.env.PATH}`,
      HOME: join(top, 'home'),
      FORCE_COLOR: '1',
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
    }
    let run = ''
    const lines = []
    const print = (command) => {
      const { stdout, status } = spawnSync('sh', ['-c', `exec 2>&1; ${command}`], {
        cwd: crib,
        env,
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}`)
      return stdout
    }
    print(before)
    for (const typed of commands) {
      const command = typed.replace('<run>', run)
      const stdout = print(command)
      lines.push(`\u001b[2m$\u001b[22m \u001b[1m${command}\u001b[22m`, ...stdout.trimEnd().split('\n'))
      run = /toolcrib undo ([\w.-]+)/.exec(stdout)?.[1] ?? run
    }
    return withSteadyIds(lines)
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

/** The ids of runs hold the time; each is written as one that stays the same. */
function withSteadyIds(lines) {
  const ids = [...new Set(lines.join('\n').match(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}\b/g))]
  return lines.map((line) =>
    ids.reduce((text, id, index) => text.replaceAll(id, `01a1eef2-49d${index}-7612`), line),
  )
}

const [leastWidth, signWidth, rowHeight, margin] = [760, 7.9, 20, 18]
const colours = { 31: '#f2777a', 32: '#8fd18f', 33: '#e8c872', 34: '#7fb2e5', 35: '#cf9fd8', 36: '#79c7c5' }

function drawLines(label, lines) {
  const longest = Math.max(
    ...lines.map((line) => pieces(line).reduce((sum, { text }) => sum + text.length, 0)),
  )
  const width = Math.max(leastWidth, Math.ceil(longest * signWidth) + margin * 2)
  const height = margin * 2 + 22 + lines.length * rowHeight
  const rows = lines.map((line, index) => {
    const y = margin + 34 + index * rowHeight
    return `<text x="${margin}" y="${y}">${pieces(line).map(span).join('')}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">
<rect width="${width}" height="${height}" rx="8" fill="#1c2128"/>
${['#f2777a', '#e8c872', '#8fd18f'].map((fill, n) => `<circle cx="${margin + 6 + n * 18}" cy="${margin}" r="5" fill="${fill}"/>`).join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#d5dbe3">
${rows.join('\n')}
</g>
</svg>
`
}

/** A line as parts of one look each. */
function pieces(line) {
  const found = []
  let look = {}
  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1]
    if (codes === undefined) {
      if (part !== '') found.push({ text: part, ...look })
      continue
    }
    for (const code of codes.split(';').map(Number)) look = changed(look, code)
  }
  return found
}

function changed(look, code) {
  if (code === 0) return {}
  if (code === 1) return { ...look, isBold: true }
  if (code === 2) return { ...look, isDim: true }
  if (code === 22) return { ...look, isBold: false, isDim: false }
  if (code === 39) return { ...look, colour: undefined }
  return { ...look, colour: colours[code > 89 ? code - 60 : code] ?? look.colour }
}

function span({ text, isBold, isDim, colour }) {
  // Spaces that no viewer folds.
  const escaped = text.replace(
    /[&<> ]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', ' ': '\u00a0' })[sign],
  )
  const marks = [
    isBold ? ' font-weight="600"' : '',
    colour ? ` fill="${colour}"` : isDim ? ' fill="#8b949e"' : '',
  ].join('')
  return marks === '' ? escaped : `<tspan${marks}>${escaped}</tspan>`
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const session of sessions) writeFileSync(session.picture, drawSession(session))
