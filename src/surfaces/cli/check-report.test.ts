import { expect, it } from 'vitest'
import type { Problem } from '../../tool/problem.ts'
import { githubReport, sarifReport } from './check-report.ts'

const problem: Problem = {
  code: 'version-invalid',
  severity: 'error',
  message: 'The version, "1", is 100% wrong.',
  hint: 'Write 1.0.0.',
  file: '/crib/.ai/tools/a b.yaml',
  line: 3,
  column: 10,
}

it('writes a workflow command that GitHub reads back', () => {
  expect(githubReport([problem, { ...problem, severity: 'info', file: '/else/x,y:z' }], '/crib')).toEqual([
    '::error file=.ai/tools/a b.yaml,line=3,col=10,title=version-invalid::The version, "1", is 100%25 wrong. Write 1.0.0.',
    '::notice file=/else/x%2Cy%3Az,line=3,col=10,title=version-invalid::The version, "1", is 100%25 wrong. Write 1.0.0.',
  ])
})

it('writes SARIF with places relative to the crib', () => {
  expect(sarifReport([problem], '/crib')).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolcrib', rules: [{ id: 'version-invalid' }] } },
        originalUriBaseIds: { CRIB: { uri: 'file:///crib/' } },
        results: [
          {
            ruleId: 'version-invalid',
            ruleIndex: 0,
            level: 'error',
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: '.ai/tools/a%20b.yaml', uriBaseId: 'CRIB' },
                  region: { startLine: 3, startColumn: 10 },
                },
              },
            ],
          },
        ],
      },
    ],
  })
})
