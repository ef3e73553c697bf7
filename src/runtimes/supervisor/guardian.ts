// A tiny shell process that outlives a crash of this one. It hears of every process group we start; when
// its standard input ends, because we ended in whatever way, it kills the groups that are still there.
import { type ChildProcess, spawn } from 'node:child_process'

const script = `trap '' INT TERM HUP
live=" $* "
while read -r op group; do
  case $op in
    +) live="$live$group " ;;
    -) case $live in *" $group "*) live="\${live%%" $group "*} \${live#*" $group "}" ;; esac ;;
  esac
done
for group in $live; do kill -s KILL -- "-$group" 2>/dev/null; done`

export class Guardian {
  readonly #live = new Set<number>()
  #process: ChildProcess | undefined

  /** Tells the guardian of a new group; starts it on first use. */
  watch(group: number): void {
    this.#live.add(group)
    if (this.#process) this.#process.stdin?.write(`+ ${group}\n`)
    else this.#start()
  }

  forget(group: number): void {
    if (this.#live.delete(group)) this.#process?.stdin?.write(`- ${group}\n`)
  }

  /** Ends the guardian; groups it still knows are killed by it. */
  close(): void {
    const child = this.#process
    this.#process = undefined
    child?.stdin?.end()
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
    child.unref()
    child.on('error', () => {})
    // A guardian that was killed has a successor at once, which hears of every group that still runs.
    child.on('exit', () => {
      if (this.#process !== child) return
      this.#process = undefined
      if (this.#live.size > 0) this.#start()
    })
    child.stdin?.on('error', () => {})
    ;(child.stdin as unknown as { unref?(): void } | null)?.unref?.()
  }
}
