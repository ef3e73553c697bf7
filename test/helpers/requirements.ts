// The rules and cases of the format specifications, as data. A test cites the ones it proves with
// `verifies(…)`; `requirements.test.ts` fails when a finished format has one that no test cites.

function ids(prefix: string, ...ranges: (number | [number, number])[]): string[] {
  return ranges.flatMap((range) => {
    const [from, to] = typeof range === 'number' ? [range, range] : range
    return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`)
  })
}

export const requirements = {
  /** Rules R1–R80. */
  rye: ids('R', [1, 80]),
  /** Rules T1–T53, conformance rows (T-row), acceptance steps (T-A). */
  'tools-json': [...ids('T', [1, 53]), ...ids('T-row-', [1, 45]), ...ids('T-A', [1, 14])],
  /** Rules C1–C121 as numbered in the specification, black-box cases (C-case). */
  'tool-code': [
    ...ids(
      'C',
      [1, 14],
      [20, 25],
      [30, 43],
      [50, 56],
      [60, 74],
      [80, 85],
      [90, 95],
      [100, 103],
      [110, 117],
      120,
      121,
    ),
    ...ids('C-case-', [1, 62]),
  ],
  /** Rules S1–S89, conformance cases K1–K61. */
  skill: [...ids('S', [1, 89]), ...ids('K', [1, 61])],
  /** What is believed: G1–G26 of spec/ground.md. */
  ground: ids('G', [1, 26]),
  /** What becomes of a call's file changes: E1–E18 of spec/effects.md. */
  effects: ids('E', [1, 18]),
  /** The ways in: D1–D23 of spec/doors.md. */
  doors: [...ids('D', [1, 23]), 'D1a', 'D11a', 'D11b'],
  /** Upstream servers, log-in, skills, tasks, APIs: U1–U14 of spec/gateway.md. */
  gateway: [...ids('U', [1, 14]), 'U2a', 'U3a', 'U3b', 'U3c', 'U3d', 'U3e'],
  /** Grants that write themselves: L1–L9 of spec/least-privilege.md. */
  'least-privilege': ids('L', [1, 9]),
  /** The console: V1–V24 of spec/console.md. */
  console: ids('V', [1, 24]),
} as const satisfies Record<string, readonly string[]>

/** Formats whose every requirement must be cited by a test. */
export const finished: readonly (keyof typeof requirements)[] = [
  'tool-code',
  'tools-json',
  'rye',
  'skill',
  'ground',
]
