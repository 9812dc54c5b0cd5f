import { describe, expect, it } from 'vitest'
import { type Decider, type Duties, findDutyProblem } from './duties.ts'

const ADA: Decider = { role: 'admin', kind: 'user', groups: [] }

describe('who decides', () => {
  it.each<[string, Duties, Partial<Decider>, boolean]>([
    ['anybody whose role suffices, when nothing is asked', {}, { role: 'member' }, true],
    ['an admin, where one is needed', { decision_role: 'admin' }, {}, true],
    ['no member, where an admin is needed', { decision_role: 'admin' }, { role: 'member' }, false],
    ['somebody in one of the groups', { decision_groups: ['Release'] }, { groups: ['x', 'release'] }, true],
    ['nobody outside of the groups, admin or not', { decision_groups: ['release'] }, {}, false],
    [
      'no service account, where a group is needed',
      { decision_groups: ['release'] },
      { kind: 'service_account', groups: ['release'] },
      false,
    ],
    [
      'nobody in the group without the role',
      { decision_role: 'admin', decision_groups: ['release'] },
      { role: 'member', groups: ['release'] },
      false,
    ],
  ])('%s', (_what, duties, decider, may) => {
    expect(findDutyProblem('override', duties, { ...ADA, ...decider }) === undefined).toBe(may)
  })
})
