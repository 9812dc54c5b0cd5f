// Who may create shared organizations, and how many, as set by the operator. Personal organizations are not affected.

export type OrgCreation = 'anyone' | 'admins' | 'nobody'

/** Undefined if the person may; otherwise a sentence that names who may. `isAdmin`: of any shared organization. */
export function findOrgCreationProblem(rule: OrgCreation, isAdmin: boolean): string | undefined {
  if (rule === 'anyone' || (rule === 'admins' && isAdmin)) return undefined
  return rule === 'admins'
    ? 'Only admins of a shared organization may create organizations here; ask an admin of yours'
    : 'Only the operator may create organizations here; ask the operator for one'
}

export interface OrgLimit {
  /** How many one person may open; null for no limit. */
  orgs_per_person: number | null
  /** Names of users to whom the limit does not apply. */
  org_openers: readonly string[]
}

/** Undefined if a person may have opened so many, the new one included; otherwise a sentence that says what to do. */
export function findOrgLimitProblem(
  { orgs_per_person: most, org_openers }: OrgLimit,
  { name, opened }: { name: string; opened: number },
): string | undefined {
  if (most === null || opened <= most || org_openers.includes(name)) return undefined
  return `You may open at most ${most} here, and have opened ${opened - 1} already; deleted ones count until the operator removes them. Ask the operator for another one`
}
