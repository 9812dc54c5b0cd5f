// Writes the service's resources as documents for `waybill apply`. Omits fields with their default value.
import { isDeepStrictEqual } from 'node:util'
import { stringify } from '../values/yaml.ts'
import { type Fields, KINDS, type KindName, listApplying, readCurrent } from './kinds.ts'

export function writeDocuments(kind: KindName, resources: readonly Fields[]): string {
  const { key } = KINDS[kind]
  return resources
    .toSorted((one, other) => (String(one[key]) < String(other[key]) ? -1 : 1))
    .map(resource =>
      stringify(toDocument(kind, resource), {
        lineWidth: 0,
        blockQuote: 'literal',
        aliasDuplicateObjects: false,
      }),
    )
    .join('---\n')
}

function toDocument(kind: KindName, resource: Fields): Fields {
  const { key } = KINDS[kind]
  const current = readCurrent(KINDS[kind], resource)
  const fields = listApplying(KINDS[kind], resource).flatMap(({ name, fallback, write }) => {
    const value = current[name]
    const isDefault = fallback !== undefined && isDeepStrictEqual(value, fallback(current))
    return isDefault ? [] : [[name, write === undefined ? value : write(value)]]
  })
  return { kind, [key]: resource[key], ...Object.fromEntries(fields) }
}
