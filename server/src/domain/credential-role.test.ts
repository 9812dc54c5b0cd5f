import { describe, expect, it } from 'vitest'
import { decideAccountRole, isTokenInForce } from './credential-role.ts'
import { isRoleAtLeast, pickLesserRole, ROLES, type Role } from './roles.ts'

describe('the lesser of two roles', () => {
  it('includes nothing that one of them does not', () => {
    for (const one of ROLES) {
      for (const other of ROLES) {
        const lesser = pickLesserRole(one, other)
        expect(lesser).toBe(pickLesserRole(other, one))
        for (const role of ROLES) {
          const isInBoth = isRoleAtLeast(one, role) && isRoleAtLeast(other, role)
          expect([one, other, role, isRoleAtLeast(lesser, role)]).toEqual([one, other, role, isInBoth])
        }
      }
    }
  })
})

describe('a service account', () => {
  it.each<[own: Role, owner: Role | null | 'organization', has_left: boolean, acts_as: Role]>([
    ['admin', 'organization', false, 'admin'],
    ['admin', 'admin', false, 'admin'],
    ['admin', 'member', false, 'member'],
    ['member', 'admin', false, 'member'],
    ['member', 'snapshotter', false, 'snapshotter'],
    ['member', 'reader', false, 'reader'],
    // An auditor reads more than a member and changes nothing.
    ['member', 'auditor', false, 'reader'],
    ['auditor', 'admin', false, 'auditor'],
    ['auditor', 'member', false, 'reader'],
    // The owner has left.
    ['admin', null, true, 'member'],
    ['auditor', null, true, 'reader'],
    ['snapshotter', null, true, 'snapshotter'],
    // What the owner could do when they left.
    ['admin', 'reader', true, 'reader'],
    // The owner has left and come back, or is deactivated.
    ['admin', 'admin', true, 'member'],
    ['member', 'reader', true, 'reader'],
    // Never seen: without a membership the owner has left, whatever else is stored.
    ['admin', null, false, 'member'],
  ])('with the role %s, of %s (has left: %j), acts as %s', (own, owner, has_left, acts_as) => {
    const of = owner === 'organization' ? null : { role: owner, has_left }
    expect(decideAccountRole(own, of)).toBe(acts_as)
  })
})

describe('a SCIM token', () => {
  it.each<[owner: Role | null | 'organization', works: boolean]>([
    ['organization', true],
    ['admin', true],
    ['member', false],
    ['auditor', false],
    [null, false],
  ])('of %s works: %j', (owner, works) => {
    expect(isTokenInForce(owner === 'organization' ? null : { role: owner })).toBe(works)
  })
})
