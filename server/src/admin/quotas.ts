// `admin org quota NAME`: what one organization may use, beside what the settings say for all.
import { lockOrgQuotas, saveOrgQuotas } from '../api/orgs/store.ts'
import { type OwnQuotas, QUOTA_NAMES } from '../domain/quotas.ts'
import { type Admin, AdminProblem, recordChange } from './actor.ts'

/** Replaces them all. Doing it again changes nothing. */
export async function setQuotas(admin: Admin, name: string, quotas: OwnQuotas): Promise<void> {
  await changeQuotas(admin, name, () => quotas)
}

/** Brings only those that are named to what is wanted; 'default' is what the settings say. Answers what they are now. */
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

/** What the operator typed for each: a number, `off` for no quota, `default` for what the settings say. */
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
  throw new AdminProblem(`${name} must be a whole number from 1, off or default; ${value} is none of them`)
}

/** For people. */
export function formatQuotas(own: OwnQuotas): string[] {
  return QUOTA_NAMES.map(name => {
    const value = own[name]
    return `${name.padEnd(22)}${value === undefined ? 'default' : (value ?? 'off')}`
  })
}
