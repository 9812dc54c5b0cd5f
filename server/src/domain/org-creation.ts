// Who may create shared organizations, as set by the operator. Personal organizations are not affected.

export type OrgCreation = 'anyone' | 'admins' | 'nobody'

/** Undefined if the person may; otherwise a sentence that names who may. `isAdmin`: of any shared organization. */
export function findOrgCreationProblem(rule: OrgCreation, isAdmin: boolean): string | undefined {
  if (rule === 'anyone' || (rule === 'admins' && isAdmin)) return undefined
  return rule === 'admins'
    ? 'Only admins of a shared organization may create organizations here; ask an admin of yours'
    : 'Only the operator may create organizations here; ask the operator for one'
}
