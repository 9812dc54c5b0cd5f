// The API requests that carry out one step of a plan.
import { dropMissing } from '../lib/drop-missing.ts'
import { type Fields, KINDS, type KindName } from './kinds.ts'
import type { Step } from './plan.ts'

export interface Request {
  method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  /** A path of the OpenAPI document. */
  template: string
  params: Readonly<Record<string, string>>
  json?: Fields
  /** The content of the file `template_file`, sent beside `data_json`. */
  template_file?: string
}

/** `comment` is stored with new versions of policies. */
export function buildRequests(step: Step, comment: string | undefined): Request[] {
  const { action, kind, name, desired = {}, differences } = step
  const changed = Object.fromEntries(differences.map(({ field }) => [field, desired[field]]))
  switch (action) {
    case 'unchanged':
      return []
    case 'create':
      return [buildCreation(kind, name, desired, comment)]
    case 'restore':
      return buildRestoration(kind, name, desired, comment)
    case 'change':
      return [buildChange(kind, name, { desired, changed, comment })]
    case 'archive':
    case 'delete':
      return [buildRemoval(kind, name)]
  }
}

export function buildCreation(
  kind: KindName,
  name: string,
  desired: Fields,
  comment?: string | undefined,
): Request {
  const { key, all } = KINDS[kind]
  const json = { [key]: name, ...desired }
  switch (kind) {
    case 'flow': {
      const { template, ...rest } = json as Fields
      return {
        method: 'PUT',
        template: '/flows/{org}/template_file',
        params: {},
        json: rest,
        template_file: String(template),
      }
    }
    case 'policy':
      return {
        method: 'PUT',
        template: all,
        params: {},
        json: dropMissing({ ...json, type: 'env', comment }),
      }
    case 'environment':
      return { method: 'PUT', template: all, params: {}, json }
    case 'attestation-type': {
      const { type_schema, ...rest } = json as Fields
      return {
        method: 'POST',
        template: all,
        params: {},
        json: type_schema === null ? rest : { ...rest, type_schema },
      }
    }
    case 'control':
    case 'trust-rule':
      return { method: 'POST', template: all, params: {}, json }
  }
}

/** An archived control must be unarchived before it is edited; sending any other resource restores it. */
function buildRestoration(kind: KindName, name: string, desired: Fields, comment: string | undefined) {
  if (kind !== 'control') return [buildCreation(kind, name, desired, comment)]
  const { one, param } = KINDS[kind]
  const params = { [param]: name }
  return [
    { method: 'POST', template: `${one}/unarchive`, params },
    { method: 'PUT', template: one, params, json: desired },
  ] satisfies Request[]
}

interface Change {
  desired: Fields
  /** Contains only the fields that differ. */
  changed: Fields
  comment: string | undefined
}

function buildChange(kind: KindName, name: string, { desired, changed, comment }: Change): Request {
  const { one, param } = KINDS[kind]
  const params = { [param]: name }
  switch (kind) {
    case 'environment':
      return { method: 'PATCH', template: one, params, json: changed }
    case 'control':
      return { method: 'PUT', template: one, params, json: changed }
    case 'trust-rule':
      return { method: 'PUT', template: one, params, json: desired }
    default:
      return buildCreation(kind, name, desired, comment)
  }
}

function buildRemoval(kind: KindName, name: string): Request {
  const { one, param, removal } = KINDS[kind]
  const path = removal.action === 'archive' ? `${one}/archive` : one
  return { method: removal.method, template: path, params: { [param]: name } }
}
