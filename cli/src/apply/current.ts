// Reads everything the service has of each kind, page by page.
import { fillPath } from '../http/api.ts'
import type { Context } from '../program/context.ts'
import { Problem } from '../program/problem.ts'
import type { Document } from './documents.ts'
import { type Fields, KIND_NAMES, KINDS, type Kind, type KindName } from './kinds.ts'
import type { Ownership } from './ownership.ts'
import type { Current, Known } from './plan.ts'

/** The kinds that others refer to. */
const REFERRED: Partial<Record<KindName, readonly KindName[]>> = {
  environment: ['policy'],
  policy: ['control'],
  'trust-rule': ['flow'],
}

export async function readState(
  context: Context,
  documents: readonly Document[],
  ownership: Ownership | undefined,
): Promise<Current> {
  const needed = new Set([
    ...documents.map(({ kind }) => kind),
    ...KIND_NAMES.filter(kind => ownership?.manages[kind] !== undefined),
  ])
  const referred = new Set([...needed].flatMap(kind => REFERRED[kind] ?? []))
  const current: Partial<Record<KindName, Known>> = {}
  for (const kind of KIND_NAMES) {
    if (needed.has(kind)) current[kind] = await readKind(context, kind)
    else if (referred.has(kind)) {
      const known = await readIfAllowed(context, kind)
      if (known !== undefined) current[kind] = known
    }
  }
  return current
}

/**
 * The organization may not have controls enabled. Then any name is accepted here, and the service reports
 * what it refuses.
 */
async function readIfAllowed(context: Context, kind: KindName): Promise<Known | undefined> {
  try {
    return await readKind(context, kind)
  } catch (error) {
    if (error instanceof Problem && error.exit === 'not_allowed') return undefined
    throw error
  }
}

async function readKind(context: Context, name: KindName): Promise<Known> {
  const kind = KINDS[name]
  const isArchivable = kind.removal.action === 'archive'
  return {
    active: mapByName(kind, await readActive(context, name)),
    archived: mapByName(kind, isArchivable ? await readAll(context, kind, { archived: true }) : []),
  }
}

export const readActive = (context: Context, kind: KindName): Promise<Fields[]> =>
  readAll(context, KINDS[kind], {})

async function readAll(
  { api, org }: Context,
  { all, list_key, page_size }: Kind,
  query: { archived?: boolean },
): Promise<Fields[]> {
  const path = fillPath(all, { org })
  if (list_key === undefined || page_size === undefined)
    return (await api.call({ method: 'GET', path, query })).json as Fields[]
  const found: Fields[] = []
  for (let page = 1; ; page++) {
    const { json } = await api.call({ method: 'GET', path, query: { ...query, page, per_page: page_size } })
    const items = (json as Record<string, Fields[]>)[list_key] ?? []
    found.push(...items)
    if (items.length < page_size) return found
  }
}

const mapByName = ({ key }: Kind, resources: readonly Fields[]): Map<string, Fields> =>
  new Map(resources.map(resource => [String(resource[key]), resource]))
