// Separation of duties: the checks before an override, an approval or a change to an allow-list.
import type { Database, Db } from '../../db/database.ts'
import { type Decision, findDutyProblem } from '../../domain/duties.ts'
import { listNamesOfSameHands } from '../../domain/standing-behind.ts'
import { forbidden } from '../../lib/errors.ts'
import type { Caller, CallerOrg } from '../operation.ts'
import { isBehindPolicy, listAccountHands, listGroups } from './duties-store.ts'

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

/**
 * The names whose work counts as the caller's own, because somebody stands behind both. Empty if no setting of the
 * organization asks for them.
 */
export async function listOwnNames(
  db: Database,
  { caller, org }: { caller: Caller; org: CallerOrg },
): Promise<string[]> {
  const { separate_duties, separate_policy_authors } = org.settings
  if (!separate_duties && !separate_policy_authors) return []
  return listNamesOfSameHands(caller, await listAccountHands(db, org.org_id))
}

/** The names whose work the caller must not decide on. Empty if the organization does not separate duties. */
export const listRefusedNames = ({ settings }: CallerOrg, own_names: string[]): string[] =>
  settings.separate_duties ? own_names : []

/** Whether a request of this kind can be one of two, so that an open request for the same must be looked for. */
export function canNeedTwoPersons({ settings }: CallerOrg, kind: 'override' | 'allow'): boolean {
  return needsTwoPersons(settings, kind) || settings.separate_policy_authors === true
}

interface Decided {
  kind: 'override' | 'allow'
  /** Null for every environment. */
  environment_id: string | null
  own_names: string[]
  /** Whether it lets something pass that policies may refuse. */
  is_permissive: boolean
}

/** Whether the decision waits for a second person, always or because the caller is behind a policy that is or was there. */
export async function needsSecondPerson(
  tx: Db,
  { org_id, settings }: CallerOrg,
  { kind, environment_id, own_names, is_permissive }: Decided,
): Promise<boolean> {
  if (needsTwoPersons(settings, kind)) return true
  if (!settings.separate_policy_authors || !is_permissive) return false
  return isBehindPolicy(tx, org_id, { environment_id, own_names })
}

const needsTwoPersons = ({ two_person_decisions }: CallerOrg['settings'], kind: 'override' | 'allow') =>
  two_person_decisions?.includes(kind) ?? false

/** Names whose own work it is, for a refusal: `made_by` is one of the caller's own names. */
export function describeOwnHand(made_by: string, { name, kind }: Caller): string {
  if (made_by === name) return 'you'
  return kind === 'user'
    ? `your service account '${made_by}', which you own or made a key of`
    : `'${made_by}', behind which the same person stands`
}
