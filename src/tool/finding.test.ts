import { expect, it } from 'vitest'
import { capabilityNames, grantText } from './capabilities.ts'
import { findingKey, findingShape, findingWords } from './finding.ts'

it('says what code touches in words a reader of a drift understands', () => {
  expect(findingWords({ capability: 'fs.read', detail: '~/.ssh' })).toBe('reads ~/.ssh')
  expect(findingWords({ capability: 'net.http', detail: '203.0.113.7' })).toBe('reaches 203.0.113.7')
  expect(findingWords({ capability: 'code.dynamic', detail: 'decoded' })).toBe('runs decoded code')
  expect(findingWords({ capability: 'shell.execute' })).toBe('starts programs')
  expect(findingWords({ capability: 'secrets.write', detail: 'X' })).toBe('uses secrets.write for X')
})

it('names a finding as a grant would be written', () => {
  expect(findingKey({ capability: 'net.http', detail: 'example.com:8443' })).toBe('net.http:example.com:8443')
  expect(grantText({ capability: 'fs.read' })).toBe('fs.read')
})

it('knows every capability in its shape', () => {
  expect(findingShape.properties.capability['enum']).toEqual(capabilityNames)
})
