import { describe, expect, it } from 'vitest'
import {
  buildRecordValue,
  extractMailDomain,
  findDomainProblem,
  isProofExpired,
  normalizeDomain,
} from './mail-domain.ts'

const OWN = buildRecordValue('own')
const HOLDER = buildRecordValue('holder')

describe('a claimed domain', () => {
  it.each([
    { records: undefined, problem: 'no_answer' },
    { records: [], problem: 'no_record' },
    { records: ['v=spf1 -all'], problem: 'other_value' },
    { records: ['own'], problem: 'other_value' },
    { records: [OWN], problem: null },
    { records: ['v=spf1 -all', OWN], problem: null },
    { records: [HOLDER], problem: 'other_value', holder: 'holder' },
    { records: [OWN, HOLDER], problem: 'claimed_elsewhere', holder: 'holder' },
    { records: [OWN], problem: null, holder: 'holder' },
  ])(
    'with the records $records and the holder $holder has the problem $problem',
    ({ records, problem, holder }) => {
      const check = { challenge: 'own', holder_challenge: holder, records }
      expect(findDomainProblem(check)).toBe(problem)
    },
  )
})

describe('a proof', () => {
  it.each([
    [0, false],
    [7 * 86_400_000, false],
    [7 * 86_400_000 + 1, true],
  ])('that was confirmed %d ms ago has expired: %s', (age_ms, is_over) => {
    const now = new Date('2026-05-01T00:00:00Z')
    expect(isProofExpired(new Date(now.getTime() - age_ms), now)).toBe(is_over)
  })
})

describe('the domain', () => {
  it.each([
    ['jane@Example.COM', 'example.com'],
    ['"odd@local"@example.com', 'example.com'],
    ['jane@example.com.', 'example.com'],
  ])('of %s is %s', (email, domain) => expect(extractMailDomain(email)).toBe(domain))

  it('is spelled in one way', () => expect(normalizeDomain('Mail.Example.com.')).toBe('mail.example.com'))
})
