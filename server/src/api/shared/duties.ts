// Separation of duties: the checks before an override, an approval or a change to an allow-list.
import type { Database } from '../../db/database.ts'
import { type Decision, findDutyProblem } from '../../domain/duties.ts'
import { forbidden } from '../../lib/errors.ts'
import type { Caller, CallerOrg } from '../operation.ts'
import { listGroups, listOwnedAccounts } from './duties-store.ts'

/** Throws a 403 with the reason if the caller may not make such decisions in this organization. */
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

/** The names whose reports the caller must not override. Empty if the organization does not separate duties. */
export async function listOwnNames(
  db: Database,
  { caller, org }: { caller: Caller; org: CallerOrg },
): Promise<string[]> {
  if (!org.settings.separate_duties) return []
  const accounts = caller.kind === 'user' ? await listOwnedAccounts(db, org.org_id, caller.id) : []
  return [caller.name, ...accounts]
}
