// A tiny shell process that outlives a crash of this one. It hears of every process group we start; when
// its standard input ends, because we ended in whatever way, it kills the groups that are still there.
import { type ChildProcess, spawn } from 'node:child_process'

const script = `trap '' INT TERM HUP
live=' '
while read -r op group; do
  case $op in
    +) live="$live$group " ;;
    -) case $live in *" $group "*) live="\${live%%" $group "*} \${live#*" $group "}" ;; esac ;;
  esac
done
for group in $live; do kill -s KILL -- "-$group" 2>/dev/null; done`

export class Guardian {
  #process: ChildProcess | undefined

  /** Tells the guardian of a new group; starts it on first use. */
  watch(group: number): void {
    this.#write(`+ ${group}\n`)
  }

  forget(group: number): void {
    if (this.#process) this.#write(`- ${group}\n`)
  }

  /** Ends the guardian; groups it still knows are killed by it. */
  close(): void {
    this.#process?.stdin?.end()
    this.#process = undefined
  }

  #write(line: string): void {
    if (!this.#process) this.#process = this.#start()
    this.#process.stdin?.write(line)
  }

  #start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', script], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      cwd: '/',
    })
    child.unref()
    // A guardian that was killed is replaced at the next start; losing it must not end the host.
    child.on('error', () => {})
    child.on('exit', () => {
      if (this.#process === child) this.#process = undefined
    })
    child.stdin?.on('error', () => {})
    ;(child.stdin as unknown as { unref?(): void } | null)?.unref?.()
    return child
  }
}
