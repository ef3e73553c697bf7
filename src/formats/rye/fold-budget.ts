// How much work folding one file's constants may cost. Doubling a list twenty times is ten lines of source and a
// million values; past the budget a value counts as not static.

export class FoldBudget {
  #parts = 50_000
  #characters = 2_000_000

  /** True while there is room for so many more values. */
  takeParts(count: number): boolean {
    this.#parts -= count
    return this.#parts >= 0
  }

  takeCharacters(count: number): boolean {
    this.#characters -= count
    return this.#characters >= 0
  }
}

export const maxFoldDepth = 100
