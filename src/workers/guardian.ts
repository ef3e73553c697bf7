// A tiny shell process that outlives a crash of this one. It hears of every process group we start; when
// its standard input ends, because we ended in whatever way, it kills the groups that are still there and runs the
// commands left with it for what no signal reaches: a container belongs to its engine.
import { type ChildProcess, spawn } from 'node:child_process'
import type { SpawnSpec } from '../sandbox/fence.ts'

const script = `trap '' INT TERM HUP
live=" $* "
left=" "
while read -r op id command; do
  case $op in
    +) live="$live$id " ;;
    -) case $live in *" $id "*) live="\${live%%" $id "*} \${live#*" $id "}" ;; esac ;;
    !) eval "left_$id=\\$command"; left="$left$id " ;;
    .) unset "left_$id"; left="\${left%%" $id "*} \${left#*" $id "}" ;;
  esac
done
for id in $live; do kill -s KILL -- "-$id" 2>/dev/null; done
for id in $left; do eval "eval \\"\\$left_$id\\"" & done
wait`

/** How long it may believe in a group that is gone. No system gives a number again that soon. */
const forgetsWithinMs = 10

export class Guardian {
  readonly #live = new Set<number>()
  readonly #left = new Map<number, string>()
  #lastLeft = 0
  #process: ChildProcess | undefined
  /** Lines about groups that are gone: they wait for the next line about a new one, which wakes it anyway. */
  #gone = ''
  #timer: NodeJS.Timeout | undefined

  /** Tells the guardian of a new group; starts it on first use. */
  watch(group: number): void {
    this.#live.add(group)
    if (this.#process) this.#tell(`+ ${group}\n`)
    else this.#start()
  }

  forget(group: number): void {
    if (!this.#live.delete(group) || !this.#process) return
    this.#gone += `- ${group}\n`
    this.#timer ??= setTimeout(() => this.#tell(''), forgetsWithinMs).unref()
  }

  /** Leaves a command that is run when we end before it is taken back, which the answer does. */
  leave(spec: SpawnSpec): () => void {
    const id = ++this.#lastLeft
    const text = shellText(spec)
    this.#left.set(id, text)
    if (this.#process) this.#process.stdin?.write(`! ${id} ${text}\n`)
    else this.#start()
    return () => {
      if (this.#left.delete(id)) this.#process?.stdin?.write(`. ${id}\n`)
    }
  }

  /** Ends the guardian; groups it still knows are killed by it, commands left with it are run. */
  close(): void {
    const child = this.#process
    this.#tell('')
    this.#process = undefined
    child?.stdin?.end()
  }

  #tell(line: string): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#gone + line
    this.#gone = ''
    if (lines !== '') this.#process?.stdin?.write(lines)
  }

  #start(): void {
    // Those that run already are arguments: it knows of them from its first moment.
    const child = spawn('/bin/sh', ['-c', script, 'toolcrib-guardian', ...[...this.#live].map(String)], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      cwd: '/',
    })
    this.#process = child
    this.#gone = ''
    child.unref()
    child.on('error', () => {})
    // A guardian that was killed has a successor at once, which hears of every group that still runs.
    child.on('exit', () => {
      if (this.#process !== child) return
      this.#process = undefined
      if (this.#live.size + this.#left.size > 0) this.#start()
    })
    child.stdin?.on('error', () => {})
    for (const [id, text] of this.#left) child.stdin?.write(`! ${id} ${text}\n`)
    ;(child.stdin as unknown as { unref?(): void } | null)?.unref?.()
  }
}

/** One line of shell; a variable of several lines cannot be in it and is left out. */
function shellText({ file, args, env }: SpawnSpec): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = ['/usr/bin/env', '-i', ...variables.filter((text) => !text.includes('\n')), file, ...args]
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
}
