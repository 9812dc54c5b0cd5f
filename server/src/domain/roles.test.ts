// The roles: what each allows, and which of several counts.
import { describe, expect, it } from 'vitest'
import { isRoleAtLeast, ROLES, rankRole } from './roles.ts'

describe('a role', () => {
  it.each([
    ['reader', ['reader']],
    ['auditor', ['reader', 'auditor']],
    ['snapshotter', ['reader', 'snapshotter']],
    ['member', ['reader', 'snapshotter', 'member']],
    ['admin', ['reader', 'auditor', 'snapshotter', 'member', 'admin']],
  ] as const)('%s is enough for %j', (role, needed) => {
    expect(ROLES.filter(one => isRoleAtLeast(role, one))).toEqual(needed)
  })

  it('of somebody who has several is the highest', () => {
    const sorted = [...ROLES].sort((one, other) => rankRole(other) - rankRole(one))
    expect(sorted).toEqual(['admin', 'member', 'snapshotter', 'auditor', 'reader'])
  })
})
