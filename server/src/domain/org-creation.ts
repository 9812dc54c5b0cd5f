// Who may create shared organizations. The operator chooses with a setting; personal organizations are not affected.

export type OrgCreation = 'anyone' | 'admins' | 'nobody'

/** Undefined when the person may; else who may, in a sentence. `isAdmin`: of some shared organization. */
export function findOrgCreationProblem(rule: OrgCreation, isAdmin: boolean): string | undefined {
  if (rule === 'anyone' || (rule === 'admins' && isAdmin)) return undefined
  return rule === 'admins'
    ? 'Only admins of a shared organization may create organizations here; ask one of yours'
    : 'Only the operator creates organizations here; ask for one'
}
