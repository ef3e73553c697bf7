// How much may be done to show one breadcrumb. Hints and paths come with the data, so anybody who may write a
// breadcrumb writes them: a value looked at and a character written cost one each, and what is spent is spent.

/** About as much as the largest breadcrumb holds. */
const most = 4 * 1024 * 1024

export class Effort {
  #left = most

  /** Throws a RangeError when too much was asked for, from then on at every call. */
  spend(amount: number): void {
    this.#left -= amount
    if (this.#left < 0) throw new RangeError('this takes more effort than showing a breadcrumb is worth')
  }
}
