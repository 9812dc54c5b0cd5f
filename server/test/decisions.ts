// Decisions that wait for a second person, for tests that need one.
import type { Contract } from '../src/api/operation.ts'
import { type Client, ORG, type TestApp } from './harness.ts'

const requested = new WeakMap<TestApp, string>()

/** Requests an allow-list entry as the admin; returns the id of the waiting decision. */
export async function fillDecision(admin: Client, org: string, environment: string): Promise<string> {
  const set = (two_person_decisions: string[]) =>
    admin.patch(`/organizations/${org}`, { settings: { two_person_decisions } })
  await set(['allow'])
  const entry = { artifact_fingerprint: 'd'.repeat(64), artifact_name: 'waiting', description: 'x' }
  const { body } = await admin.put(`/allowlists/${org}/${environment}`, entry)
  await set([])
  return body.id
}

/** For the test of every operation. */
export async function prepareDecision({ id }: Contract, where: TestApp): Promise<void> {
  if (id !== 'withdrawDecision') return
  await where.admin.put(`/environments/${ORG}`, { name: 'with-decision', type: 'docker' })
  requested.set(where, await fillDecision(where.admin, ORG, 'with-decision'))
}

export function readDecisionParams({ id }: Contract, where: TestApp): Record<string, string> {
  return id === 'withdrawDecision' ? { decision_id: requested.get(where) ?? '' } : {}
}
