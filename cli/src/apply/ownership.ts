// What a folder manages: the names that `--prune` may archive if no document has them. Without this
// declaration nothing is ever archived, because the rest may belong to another folder or a person.
import { type Fields, isKindName, KIND_NAMES, type KindName } from './kinds.ts'

export const OWNERSHIP = 'ownership'

export interface Ownership {
  name: string
  /** Names by kind; `*` matches any characters. */
  manages: Readonly<Partial<Record<KindName, readonly string[]>>>
}

/** Problems by field. */
export function checkOwnership(document: Fields): [string, string][] {
  const { kind: _, name, manages, ...unknown } = document
  const problems = Object.keys(unknown).map((field): [string, string] => [field, 'is not a known field'])
  if (typeof name !== 'string' || name === '') problems.push(['name', 'is missing'])
  if (typeof manages !== 'object' || manages === null || Array.isArray(manages))
    return [...problems, ['manages', 'is missing: a list of names for each kind, such as flow: [payments-*]']]
  for (const [kind, names] of Object.entries(manages)) {
    if (!isKindName(kind))
      problems.push([`manages.${kind}`, `is not a kind; the kinds are ${KIND_NAMES.join(', ')}`])
    const isList = Array.isArray(names) && names.length > 0
    if (!isList || names.some(each => typeof each !== 'string' || each === ''))
      problems.push([`manages.${kind}`, 'must be a list of names; * stands for any characters'])
  }
  return problems
}

export function isManaged({ manages }: Ownership, kind: KindName, name: string): boolean {
  return (manages[kind] ?? []).some(pattern => matches(pattern, name))
}

function matches(pattern: string, name: string): boolean {
  const source = pattern.split('*').map(part => part.replaceAll(/[^\w]/g, String.raw`\$&`))
  return new RegExp(`^${source.join('.*')}$`).test(name)
}
