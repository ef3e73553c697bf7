import { expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { saidDenials } from './said-denials.ts'

const closed = { network: { mode: 'none' }, subprocess: false } as const
const host = (what: string) => [{ kind: 'host', what, isDenied: true }]

it.each([
  ['curl: (6) Could not resolve host: api.example.com', host('api.example.com:443')],
  ['wget: unable to resolve host address ‘api.example.com’', host('api.example.com:443')],
  ['Error: getaddrinfo EAI_AGAIN api.example.com', host('api.example.com:443')],
  ['Error: connect ENETUNREACH 203.0.113.7:8080 - Local (0.0.0.0:0)', host('203.0.113.7:8080')],
  ["HTTPSConnectionPool(host='api.example.com', port=8443): Max retries", host('api.example.com:8443')],
  ['NotCapable: Requires net access to "api.example.com:443"', host('api.example.com:443')],
  [
    'urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>',
    [{ kind: 'capability', what: 'net.http', isDenied: true }],
  ],
  ['ValueError: no such name', []],
])('hears of a closed network: %s', (said, expected) => {
  verifies('L8')
  expect(saidDenials(said, closed)).toEqual(expected)
  expect(saidDenials(said, { network: { mode: 'hosts', hosts: ['example.org'] }, subprocess: true })).toEqual(
    [],
  )
})

const sh = [{ kind: 'program', what: 'sh', isDenied: true }]

it.each([
  ["FileNotFoundError: [Errno 2] No such file or directory: 'sh'", sh],
  ["PermissionError: [Errno 13] Permission denied: '/bin/sh'", sh],
  ['Error: spawn sh ENOENT', sh],
  ['Error: spawnSync /usr/bin/sh EACCES', sh],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'no-such-program'", []],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'docs/sh'", []],
])('hears of a program that was not shown: %s', (said, expected) => {
  verifies('L8')
  expect(saidDenials(said, closed)).toEqual(expected)
  expect(saidDenials(said, { ...closed, subprocess: true })).toEqual([])
})
