// Several middlewares of one call that follow each other, run here without asking the host between them: an entry that
// returns undefined lets the next one run, any other value is the result and the rest is skipped, as in the host's own
// chain. What comes behind the last of them is the host's.
export class Group {
  #message
  #call
  #host
  #skills
  #load
  #last
  #entered = 0
  #failed = []
  #isThrough = false
  #hasAskedRest = false
  #loaded = []

  constructor(message, call, { host, skills, load }) {
    this.#message = message
    this.#call = call
    this.#host = host
    this.#skills = skills
    this.#load = load
    this.#last = message.followers.length
    for (const { own } of message.followers) skills.noteRun(own)
    this.turn = new Turn(this, 0)
    this.first = skills.contextOf(call, message, { ...host, next: (options) => this.turn.next(options), dissolve: () => this.#dissolve() })
    this.target = this.first.target
  }

  get Next() {
    return this.#skills.Next
  }

  /** What the first gives back, or what those behind it made of the call. */
  async run(first) {
    for (const [index, { tool }] of this.#message.followers.entries()) {
      try {
        this.#loaded.push(await this.#load(tool))
      } catch {
        // It fails in its turn, in the words of the host.
        this.#giveBack(index)
        break
      }
    }
    const locals = this.target.read('locals')
    this.#isThrough = await this.runFrom(0, first)
    return this.#isThrough ? locals.result : undefined
  }

  /** Whether the chain is through. Rejects with what was thrown. */
  async runFrom(from, first) {
    const locals = this.target.read('locals')
    for (let index = from; index <= this.#last; index++) {
      const turn = index === 0 ? this.turn : new Turn(this, index)
      this.#entered = Math.max(this.#entered, index)
      let value
      try {
        value = await (index === 0 ? first() : this.#enter(index, turn))
        if (turn.isOpen) await turn.settle()
      } catch (error) {
        if (index > 0) this.#failed.push([index, error])
        throw error
      } finally {
        turn.end()
      }
      if (value !== undefined || turn.hasFailed) {
        locals.result = value
        locals.error = undefined
        return true
      }
      if (turn.hasRun) return true
    }
    if (first) return false
    const again = this.#hasAskedRest
    this.#hasAskedRest = true
    await this.first.rest(again)
    return true
  }

  #enter(index, turn) {
    const { own } = this.#message.followers[index - 1]
    const { fn, module, name } = this.#loaded[index - 1]
    const { send, sendNow, say } = this.#host
    const { context, args, own: parts } = this.#skills.contextOf(this.#call, { own, target: { id: this.target.id, isKnown: true } }, {
      send: (op, given) => send(`${index}/${op}`, given),
      sendNow: (op, given) => sendNow(`${index}/${op}`, given),
      say,
      next: (options) => turn.next(options),
      dissolve: () => this.#dissolve(),
    })
    parts.inherit(this.target)
    this.#skills.noteLoaded(name, fn, module, context)
    return fn(context, args)
  }

  /** Whoever changes the chain changes the host's: what has not begun here runs there. */
  #dissolve() {
    if (this.#entered < this.#last) this.#giveBack(this.#entered)
  }

  #giveBack(from) {
    this.#last = from
    void this.#host.send('give-back', [[], from])
  }

  told() {
    const failed = this.#failed.map(([index, error]) => [index, this.#skills.pack(error, 'error')])
    return JSON.stringify({ failed, isThrough: this.#isThrough })
  }
}

/** One entry's hold on the rest of the chain. */
class Turn {
  #group
  #index
  #state = 'waiting'
  #rest
  #failure
  #isWatched = false
  #isOver = false

  constructor(group, index) {
    this.#group = group
    this.#index = index
  }

  get isOpen() {
    return this.#state === 'running' || (this.#state === 'failed' && !this.#isWatched)
  }

  get hasRun() {
    return this.#state !== 'waiting'
  }

  get hasFailed() {
    return this.#state === 'failed'
  }

  next(options) {
    return new this.#group.Next(() => this.#run(options), () => (this.#isWatched = true))
  }

  async #run(options) {
    const locals = this.#group.target.read('locals')
    if (this.#state === 'running') {
      await this.#rest.catch(() => {})
      return locals.result
    }
    const isAgain = options?.again === true && this.hasRun
    if (this.#isOver || (this.hasRun && !isAgain)) return locals.result
    if (isAgain) {
      locals.result = undefined
      locals.error = undefined
    }
    this.#state = 'running'
    this.#rest = this.#group.runFrom(this.#index + 1).then(
      () => {
        this.#state = 'done'
      },
      (error) => {
        this.#state = 'failed'
        this.#failure = error
        locals.error = error
        throw error
      },
    )
    await this.#rest
    return locals.result
  }

  end() {
    this.#isOver = true
  }

  async settle() {
    if (this.#state === 'running') await this.#rest
    if (this.#state === 'failed') throw this.#failure
  }
}
