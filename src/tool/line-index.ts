// Offsets in a text to lines and columns, both counted from 1.

export interface Position {
  readonly line: number
  readonly column: number
}

/** Builds the line table once; `at` then answers in O(log n). */
export class LineIndex {
  readonly #starts: number[] = [0]
  readonly #length: number

  constructor(text: string) {
    this.#length = text.length
    for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) this.#starts.push(i + 1)
  }

  at(offset: number): Position {
    const wanted = Math.max(0, Math.min(offset, this.#length))
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#starts[middle]! <= wanted) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: wanted - this.#starts[low]! + 1 }
  }
}
