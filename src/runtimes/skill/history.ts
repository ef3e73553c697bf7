// `locals.history`: the caller's frames plus one, made when looked at. Append only: frames cannot be changed or removed.
import type { Context, HistoryFrame, Locals, SkillCall } from './context.ts'

/** Lets a class put a private field on an object that is there already. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is the point.
    return object
  }
}

/**
 * The locals of a call, which stay a plain object with `history` as its own. One getter serves all of them: with one
 * each, every object would have a shape of its own, which costs microseconds to make and a full collection to lose.
 */
class WithHistory extends Given {
  readonly #call: SkillCall
  #frames: HistoryFrame[] | undefined

  constructor(locals: Locals, call: SkillCall) {
    super(locals)
    this.#call = call
    Object.defineProperty(this, 'history', WithHistory.#history)
  }

  static readonly #history: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: WithHistory): HistoryFrame[] {
      this.#frames ??= framesOf(this.#call)
      return this.#frames
    },
  }
}

export function addHistory(locals: Locals, call: SkillCall): void {
  new WithHistory(locals, call)
}

function framesOf(call: SkillCall): HistoryFrame[] {
  const frames: HistoryFrame[] = []
  const own = Object.freeze({ tool: call.tool.id, args: call.args, timestamp: call.startedAt })
  for (const value of [...((call.parent?.context as Context | undefined)?.locals.history ?? []), own])
    Object.defineProperty(frames, frames.length, { value, enumerable: true })
  return frames
}
