// An inverted index with BM25+ scores: for each word, the documents and fields that hold it. Scores are summed in
// arrays by document number, so that a word which every document holds costs no objects.
import SearchableMap from 'minisearch/SearchableMap'

/** How much a word counts in a field. */
export type FieldBoosts = readonly number[]

export interface WordHit {
  readonly document: number
  readonly score: number
}

interface Postings {
  readonly documents: number[]
  /** How often the word stands in that field of the document of the same position. */
  readonly counts: number[]
}

/** What a word that was not written like the query's counts for. */
const prefixWeight = 0.375
const fuzzyWeight = 0.45
/** Parameters of BM25+: how soon more of a word counts no more, how much length counts, what a word counts at least. */
const [saturation, lengthShare, floor] = [1.2, 0.7, 0.5]

export class WordIndex {
  /** By word, then by field. */
  readonly #words = new SearchableMap<(Postings | undefined)[]>()
  readonly #boosts: FieldBoosts
  /** By field and document: what the length of the field does to a score. */
  readonly #norms: readonly Float64Array[]
  readonly #size: number

  /** Each document is a list of fields, each field a list of words. */
  constructor(documents: readonly (readonly (readonly string[])[])[], boosts: FieldBoosts) {
    this.#size = documents.length
    this.#boosts = boosts
    this.#norms = boosts.map((_, field) =>
      lengthNorms(documents.map((fields) => new Set(fields[field]).size)),
    )
    // Words are gathered in a plain map first: the tree is slow to change.
    const gathered = new Map<string, (Postings | undefined)[]>()
    for (const [document, fields] of documents.entries())
      for (const [field, words] of fields.entries())
        for (const word of words) count(gathered, word.toLowerCase(), field, document)
    for (const [word, postings] of gathered) this.#words.set(word, postings)
  }

  /** The best documents for any of the words, best first; of equals the earlier one first. */
  find(words: readonly string[], limit: number): WordHit[] {
    const scores = new Float64Array(this.#size)
    const matched = new Uint32Array(this.#size)
    const part = new Float64Array(this.#size)
    const seen = new Set<string>()
    for (const word of words.map((written) => written.toLowerCase())) {
      part.fill(0)
      for (const [postings, weight] of this.#like(word)) this.#addScores(part, postings, weight)
      const isNew = !seen.has(word)
      seen.add(word)
      for (let document = 0; document < part.length; document++) {
        const score = part[document]!
        if (score === 0) continue
        scores[document]! += score
        if (isNew) matched[document]!++
      }
    }
    // A document that holds more of the words is worth more than their sum.
    for (let document = 0; document < scores.length; document++) scores[document]! *= matched[document]!
    return best(scores, limit)
  }

  /** The words of the index that are the word, begin with it or differ from it by a letter or so. */
  *#like(word: string): Generator<readonly [(Postings | undefined)[], number]> {
    const exact = this.#words.get(word)
    if (exact) yield [exact, 1]
    const distance = word.length >= 5 ? Math.min(6, Math.round(word.length * 0.2)) : 0
    const fuzzy = distance > 0 ? this.#words.fuzzyGet(word, distance) : new Map()
    if (word.length >= 3)
      for (const [longer, postings] of this.#words.atPrefix(word)) {
        fuzzy.delete(longer)
        const more = longer.length - word.length
        if (more > 0) yield [postings, (prefixWeight * longer.length) / (longer.length + 0.3 * more)]
      }
    for (const [similar, [postings, edits]] of fuzzy)
      if (edits > 0) yield [postings, (fuzzyWeight * similar.length) / (similar.length + edits)]
  }

  #addScores(scores: Float64Array, fields: readonly (Postings | undefined)[], weight: number): void {
    for (const [field, boost] of this.#boosts.entries()) {
      const postings = fields[field]
      if (!postings) continue
      const { documents, counts } = postings
      const norms = this.#norms[field]!
      const rarity = Math.log(1 + (this.#size - documents.length + 0.5) / (documents.length + 0.5))
      const scale = weight * boost * rarity
      for (let i = 0; i < documents.length; i++) {
        const document = documents[i]!
        const often = counts[i]!
        scores[document]! += scale * (floor + (often * (saturation + 1)) / (often + norms[document]!))
      }
    }
  }
}

function count(
  words: Map<string, (Postings | undefined)[]>,
  word: string,
  field: number,
  document: number,
): void {
  let fields = words.get(word)
  if (!fields) {
    fields = []
    words.set(word, fields)
  }
  fields[field] ??= { documents: [], counts: [] }
  const { documents, counts } = fields[field]
  if (documents.at(-1) === document) counts[counts.length - 1]!++
  else {
    documents.push(document)
    counts.push(1)
  }
}

function lengthNorms(lengths: readonly number[]): Float64Array {
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  return Float64Array.from(lengths, (length) =>
    average > 0 ? saturation * (1 - lengthShare + (lengthShare * length) / average) : 0,
  )
}

function best(scores: Float64Array, limit: number): WordHit[] {
  // Sorting numbers is many times faster than sorting hits, so that few hits are left to sort.
  const least = limit < scores.length ? scores.slice().sort()[scores.length - limit]! : 0
  const hits: WordHit[] = []
  for (let document = 0; document < scores.length; document++) {
    const score = scores[document]!
    if (score > 0 && score >= least) hits.push({ document, score })
  }
  return hits.sort((a, b) => b.score - a.score || a.document - b.document).slice(0, limit)
}
