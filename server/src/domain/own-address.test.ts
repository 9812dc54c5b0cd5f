import { describe, expect, it } from 'vitest'
import { findAddressManager, isProviderDomain } from './own-address.ts'

const ADDRESS = { email: 'ada@example.com', has_identity: false, is_proved: false, is_in_directory: false }

describe('an address', () => {
  it.each([
    ['of a person who signs in by mail', {}, null],
    ['that came with single sign-on', { has_identity: true }, 'single_sign_on'],
    ['that the person proved', { has_identity: true, is_proved: true }, null],
    ['in the domain of an organization', { is_in_directory: true }, 'directory'],
    ['in such a domain, although proved', { is_in_directory: true, is_proved: true }, 'directory'],
    ['in such a domain, with an identity', { is_in_directory: true, has_identity: true }, 'directory'],
    ['that is missing, with an identity', { email: null, has_identity: true }, null],
  ])('%s is managed by the right one', (_, part, manager) => {
    expect(findAddressManager({ ...ADDRESS, ...part })).toBe(manager)
  })
})

describe('a domain of an identity provider', () => {
  it.each([
    ['ada@corp.example', true],
    ['ada@CORP.example', true],
    ['ada@x@corp.example', true],
    ['ada@sub.corp.example', false],
    ['corp.example@elsewhere.example', false],
  ])('%s: %s', (email, isOne) => {
    expect(isProviderDomain(['corp.example'], email)).toBe(isOne)
  })
})
