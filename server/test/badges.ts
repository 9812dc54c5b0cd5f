// Badges for the tests of every operation.
import type { Contract } from '../src/api/operation.ts'
import { ORG, type TestApp } from './harness.ts'

interface MadeBadge {
  badge_id: string
  token: string
}

/** For the test of every operation: one operation revokes its badge. */
const made = new WeakMap<TestApp, Map<string, MadeBadge>>()

/** Creates the environment that the example names, and a badge to load or revoke. */
export async function prepareBadge({ tag, id }: Contract, where: TestApp, label: string): Promise<void> {
  if (tag !== 'Badges') return
  await where.admin.put(`/environments/${ORG}`, { name: 'production', type: 'K8S', description: '' })
  if (id === 'createBadge') return
  const { body } = await where.admin.post(`/badge-tokens/${ORG}`, { environment_name: 'production', label })
  const known = made.get(where) ?? new Map<string, MadeBadge>()
  made.set(where, known.set(id, { badge_id: body.id, token: body.token }))
}

export function findBadgeFor({ id }: Contract, where: TestApp): Partial<MadeBadge> {
  return made.get(where)?.get(id) ?? {}
}
