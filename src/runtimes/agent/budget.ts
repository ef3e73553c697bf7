// What an agent run has spent, and when that is too much. Time is not counted here: the call's own limit does.
import type { Cost } from '../../tool/outcome.ts'
import { ToolError } from '../../tool/tool-error.ts'
import type { Answer } from './ask-model.ts'
import type { ModelChoice } from './choose-model.ts'

export class Budget {
  turns = 0
  inputTokens = 0
  outputTokens = 0
  readonly #skill: string
  readonly #choice: ModelChoice

  constructor(skill: string, choice: ModelChoice) {
    this.#skill = skill
    this.#choice = choice
  }

  /** Before each question: throws when nothing is left for it. */
  check(): void {
    const { id, maxTurns, maxTokens, maxCost } = this.#choice
    if (this.turns >= maxTurns)
      throw new ToolError(
        'TURNS_EXCEEDED',
        `${this.#skill} was not done after ${this.turns} answers of the model "${id}".`,
        { hint: 'Give it a smaller task, or raise maxTurns of its model.', details: { maxTurns } },
      )
    const tokens = this.inputTokens + this.outputTokens
    if (maxTokens !== undefined && tokens >= maxTokens)
      throw this.#exceeded(`${tokens} tokens of ${maxTokens}`, 'maxTokens')
    const cost = this.cost
    if (maxCost !== undefined && cost !== undefined && cost.amount >= maxCost)
      throw this.#exceeded(`${cost.amount} ${cost.currency} of ${maxCost}`, 'maxCost')
  }

  add(answer: Answer): void {
    this.turns++
    this.inputTokens += answer.inputTokens
    this.outputTokens += answer.outputTokens
  }

  /** Where the model has a price. */
  get cost(): Cost | undefined {
    const { price } = this.#choice.settings
    if (!price) return undefined
    const amount = (this.inputTokens * price.input + this.outputTokens * price.output) / 1_000_000
    return { amount: Number(amount.toFixed(9)), currency: price.currency ?? 'USD' }
  }

  #exceeded(spent: string, setting: string): ToolError {
    return new ToolError(
      'BUDGET_EXCEEDED',
      `${this.#skill} had used ${spent} after ${this.turns} answers and was stopped.`,
      { hint: `Give it a smaller task, or raise ${setting} of its model.` },
    )
  }
}
