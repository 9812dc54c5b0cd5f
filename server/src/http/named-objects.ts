// Collects what a request names, by what its contract declares (domain/schema.ts, Naming), for keys that are limited to
// some flows and environments.
import type { TSchema } from 'typebox'
import type { Contract } from '../api/operation.ts'
import { readScopeNames } from '../api/shared/key-scope-store.ts'
import type { Database } from '../db/database.ts'
import type { NamedObject } from '../domain/key-scope.ts'
import { listNamingFields, type NamedKind } from '../domain/schema.ts'
import { cutEnvironmentName } from '../domain/snapshot/expression.ts'
import { parseWireId } from '../lib/ids.ts'

interface Named {
  kind: Exclude<NamedKind, 'flows'>
  text: string
}

export function listNamedInPath({ params }: Contract, values: unknown): Named[] {
  return listNamed(params, values)
}

export function listNamedInInput(
  { query, body }: Contract,
  sent: { query: unknown; body: unknown },
): Named[] {
  return [...listNamed(query, sent.query), ...listNamed(body, sent.body)]
}

function listNamed(schema: TSchema | undefined, values: unknown): Named[] {
  return listNamingFields(schema).flatMap(({ path, kind }) =>
    // Some clients send an unset field as an empty text.
    listTexts(values, path)
      .flatMap(text => (kind === 'flows' ? text.split(',').map(one => one.trim()) : [text]))
      .flatMap(text => (text === '' ? [] : [{ kind: kind === 'flows' ? 'flow' : kind, text }])),
  )
}

/** The values of a field: one, several in a list, or none. */
function listTexts(value: unknown, [name, ...rest]: readonly string[]): string[] {
  if (name === undefined) return typeof value === 'string' ? [value] : []
  if (name === '*') return Array.isArray(value) ? value.flatMap(item => listTexts(item, rest)) : []
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return []
  return listTexts((value as Record<string, unknown>)[name], rest)
}

/** With the ids of what they mean now. */
export async function resolveNamed(
  db: Database,
  org_id: string,
  named: readonly Named[],
): Promise<NamedObject[]> {
  // PostgreSQL accepts no NUL, so nothing has such a name.
  const known = named.filter(({ text }) => !text.includes('\0'))
  const flows = known.filter(({ kind }) => kind === 'flow').map(({ text }) => text)
  const environments = known.flatMap(one => toEnvironmentName(one) ?? [])
  const isLookedUp = flows.length > 0 || environments.length > 0
  const found = isLookedUp ? await readScopeNames(db, org_id, { flows, environments }) : []
  const findId = (kind: string, name: string) =>
    found.find(one => one.kind === kind && one.name === name)?.id ?? undefined
  return named.map((one): NamedObject => {
    const { kind, text: name } = one
    if (kind === 'flow id') return { kind: 'flow', name, id: parseWireId(name) }
    if (kind === 'flow') return { kind, name, id: findId(kind, name) }
    const environment = toEnvironmentName(one)
    if (environment === undefined) return { kind: 'policy', name, id: undefined }
    return { kind: 'environment', name: environment, id: findId('environment', environment) }
  })
}

function toEnvironmentName({ kind, text }: Named): string | undefined {
  if (kind === 'environment') return text
  return kind === 'snapshot' ? cutEnvironmentName(text) : undefined
}
