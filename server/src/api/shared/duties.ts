// Separation of duties, asked before an override, an approval or a change of an allow-list.
import type { Database } from '../../db/database.ts'
import { type Decision, findDutyProblem } from '../../domain/duties.ts'
import { forbidden } from '../../lib/errors.ts'
import type { Caller, CallerOrg } from '../operation.ts'
import { listGroups, listOwnedAccounts } from './duties-store.ts'

/** Refuses whoever may not decide in this organization, and says why. */
export async function requireDecider(
  db: Database,
  { caller, org }: { caller: Caller; org: CallerOrg },
  decision: Decision,
): Promise<void> {
  const { decision_groups = [] } = org.settings
  const needsGroup = caller.kind === 'user' && decision_groups.length > 0
  const groups = needsGroup ? await listGroups(db, org.org_id, caller.id) : []
  const problem = findDutyProblem(decision, org.settings, { role: org.role, kind: caller.kind, groups })
  if (problem !== undefined) throw forbidden(problem)
}

/** The names whose reports the caller must not override: none where duties are not separate. */
export async function listOwnNames(
  db: Database,
  { caller, org }: { caller: Caller; org: CallerOrg },
): Promise<string[]> {
  if (!org.settings.separate_duties) return []
  const accounts = caller.kind === 'user' ? await listOwnedAccounts(db, org.org_id, caller.id) : []
  return [caller.name, ...accounts]
}
