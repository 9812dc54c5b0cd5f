import { describe, expect, it } from 'vitest'
import * as names from './names.ts'

// Rejected by every pattern.
const never = [
  '',
  ' ',
  'a b',
  'a^b',
  'a]b',
  'a[b',
  'a\\b',
  'a/b',
  'a\n',
  '\na',
  'a\u0000',
  'ä',
  'a%b',
  "a'b",
  'a:b',
]

const table = [
  {
    name: 'FLOW_NAME',
    pattern: names.FLOW_NAME,
    accepts: ['a', '0', 'a-b', 'a.b', 'a~b', 'a_b'],
    refuses: ['.a', '-a', '~a', '_a', 'a,b'],
  },
  {
    name: 'TRAIL_NAME',
    pattern: names.TRAIL_NAME,
    accepts: ['a', 'a-b', 'a.b', 'a~b', 'A9'],
    refuses: ['.a', '-a', '~a', 'a,b'],
  },
  {
    name: 'CUSTOM_TYPE_NAME',
    pattern: names.CUSTOM_TYPE_NAME,
    accepts: ['a', 'a-b', 'a.b', 'a~b'],
    refuses: ['.a', '-a', '~a', 'a,b'],
  },
  {
    name: 'ENVIRONMENT_NAME',
    pattern: names.ENVIRONMENT_NAME,
    accepts: ['a', 'a-b', 'a.b', 'a_b'],
    refuses: ['.a', '-a', 'a~b', 'a,b'],
  },
  {
    name: 'CONTROL_IDENTIFIER',
    pattern: names.CONTROL_IDENTIFIER,
    accepts: ['a-b', 'a.b', 'a~b', '.a', '-a', '~'],
    refuses: ['a,b'],
  },
  {
    name: 'TEMPLATE_NAME',
    pattern: names.TEMPLATE_NAME,
    accepts: ['a', 'a-b', 'a_b', '-', '_a'],
    refuses: ['a.b', 'a~b', '.a', 'a,b'],
  },
  {
    name: 'ATTESTATION_NAME',
    pattern: names.ATTESTATION_NAME,
    accepts: ['a', 'a-b', 'a_b', 'a,b'],
    refuses: ['a.b', 'a~b', '.a'],
  },
  {
    name: 'SERVICE_ACCOUNT_NAME',
    pattern: names.SERVICE_ACCOUNT_NAME,
    accepts: ['a', 'a-b', '-a'],
    refuses: ['a.b', 'a~b', 'a_b', '.a', 'a,b'],
  },
  {
    name: 'TAG_KEY',
    pattern: names.TAG_KEY,
    accepts: ['a', 'a-b', 'a.b', 'a~b', 'a_b'],
    refuses: ['.a', '-a', '~a', 'a,b'],
  },
  {
    name: 'ORG_NAME',
    pattern: names.ORG_NAME,
    accepts: ['a', 'a-b', 'a.b', 'a_b'],
    refuses: ['.a', '-a', 'a~b', 'a,b'],
  },
  {
    name: 'USER_NAME',
    pattern: names.USER_NAME,
    accepts: ['a', 'a-b', 'a.b', 'a_b'],
    refuses: ['.a', '-a', 'a~b', 'a,b'],
  },
  {
    name: 'FINGERPRINT',
    pattern: names.FINGERPRINT,
    accepts: ['0123456789abcdef'.repeat(4)],
    refuses: ['a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), 'g'.repeat(64), `${'a'.repeat(64)}\n`],
  },
  {
    name: 'COMMIT',
    pattern: names.COMMIT,
    accepts: ['a1'.repeat(20)],
    refuses: ['a'.repeat(39), 'a'.repeat(41), 'A'.repeat(40)],
  },
]

describe.each(table)('$name', ({ pattern, accepts, refuses }) => {
  const expression = new RegExp(pattern, 'u')

  it.each(accepts)('accepts %j', name => expect(expression.test(name)).toBe(true))
  it.each([...refuses, ...never])('refuses %j', name => expect(expression.test(name)).toBe(false))
})

it('spells patterns with single backslashes, as error texts quote them', () => {
  expect(names.FLOW_NAME).toBe(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$`)
  expect(names.ENVIRONMENT_NAME).toBe(String.raw`^[a-zA-Z0-9][a-zA-Z0-9\.\-_]*$`)
  expect(names.CONTROL_IDENTIFIER).toBe(String.raw`^[a-zA-Z0-9\-._~]+$`)
})
