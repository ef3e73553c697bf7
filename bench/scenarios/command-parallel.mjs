import { scenario as sequential } from './command-call.mjs'

/** Eight at a time: what counts is how many a second, so less is better per operation here too. */
export const scenario = {
  about: 'an allowlisted command, eight at a time',
  unit: 'ms',
  run: { rounds: 9, warmUp: 2 },
  async setup() {
    return sequential.setup({ atOnce: 8 })
  },
}
