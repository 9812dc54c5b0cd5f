// `admin org quota NAME`: the quotas of one organization, which override the server-wide settings.
import { lockOrgQuotas, saveOrgQuotas } from '../api/orgs/store.ts'
import { type OwnQuotas, QUOTA_NAMES } from '../domain/quotas.ts'
import { type Admin, AdminProblem, recordChange } from './actor.ts'

/** Applies `change` to the organization's own quotas and returns the result. */
export async function changeQuotas(
  admin: Admin,
  name: string,
  change: (own: OwnQuotas) => OwnQuotas,
): Promise<OwnQuotas> {
  const org = await lockOrgQuotas(admin.tx, name)
  if (!org) throw new AdminProblem(`There is no organization ${name}`)
  const quotas = sortQuotas(change(org.quotas))
  const previous = sortQuotas(org.quotas)
  if (JSON.stringify(quotas) === JSON.stringify(previous)) return quotas
  await saveOrgQuotas(admin.tx, org.org_id, quotas)
  admin.changes.push(`changed the quotas of ${name}`)
  await recordChange(admin, org.org_id, 'org_changed', { quotas, previous: { quotas: previous } })
  return quotas
}

function sortQuotas(quotas: OwnQuotas): OwnQuotas {
  return Object.fromEntries(
    QUOTA_NAMES.flatMap(name => (quotas[name] === undefined ? [] : [[name, quotas[name]]])),
  )
}

/** Quotas as the operator typed them: a number, `off` for no quota, or `default` for the server-wide setting. */
export type TypedQuotas = Partial<Record<(typeof QUOTA_NAMES)[number], string>>

export function applyTyped(own: OwnQuotas, typed: TypedQuotas): OwnQuotas {
  const after = { ...own }
  for (const name of QUOTA_NAMES) {
    const value = typed[name]
    if (value === undefined) continue
    if (value === 'default') delete after[name]
    else after[name] = value === 'off' ? null : parseWholeNumber(value, name)
  }
  return after
}

function parseWholeNumber(value: string, name: string): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= 1 && number <= Number.MAX_SAFE_INTEGER) return number
  throw new AdminProblem(`${name} must be a whole number of at least 1, off or default, not ${value}`)
}

export function formatQuotas(own: OwnQuotas): string[] {
  return QUOTA_NAMES.map(name => {
    const value = own[name]
    return `${name.padEnd(22)}${value === undefined ? 'default' : (value ?? 'off')}`
  })
}
