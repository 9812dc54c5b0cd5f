// Selects the attributes of a response: `attributes` names them, `excludedAttributes` omits some; id and schemas
// stay.
import { type Attribute, type ResourceType, resolvePath } from './attributes.ts'
import { isValues, type Values } from './values.ts'

export interface Projection {
  attributes: string | undefined
  excludedAttributes: string | undefined
}

const ALWAYS = ['schemas', 'id']

export function applyProjection(type: ResourceType, resource: Values, projection: Projection): Values {
  if (projection.attributes) {
    const kept: Values = {}
    for (const name of ALWAYS) kept[name] = resource[name]
    for (const path of parsePaths(type, projection.attributes)) copyPath(resource, kept, path)
    return kept
  }
  const paths = parsePaths(type, projection.excludedAttributes ?? '')
  return paths.reduce(
    (left, path) => (ALWAYS.includes(path[0]?.name ?? '') ? left : omitPath(left, path)),
    resource,
  )
}

/** Whether the response will include an attribute, so that expensive ones are not computed in vain. */
export function isRequested(type: ResourceType, name: string, projection: Projection): boolean {
  const isNamed = (path: readonly Attribute[]) => path[0]?.name === name
  if (projection.attributes) return parsePaths(type, projection.attributes).some(isNamed)
  return !parsePaths(type, projection.excludedAttributes ?? '').some(
    path => isNamed(path) && path.length === 1,
  )
}

/** Unknown names are ignored: they may belong to another version of the schema. */
function parsePaths(type: ResourceType, list: string): Attribute[][] {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
    .flatMap(name => {
      const path = resolvePath(type, name)
      return path ? [path] : []
    })
}

function copyPath(from: Values, to: Values, [attribute, ...below]: readonly Attribute[]): void {
  const value = attribute && from[attribute.name]
  if (!attribute || value === undefined) return
  if (below.length === 0) to[attribute.name] = value
  else if (Array.isArray(value)) {
    const before = to[attribute.name]
    to[attribute.name] = value.map((one, i) => {
      const kept: Values = { ...(Array.isArray(before) ? before[i] : {}) }
      if (isValues(one)) copyPath(one, kept, below)
      return kept
    })
  } else if (isValues(value)) {
    const kept: Values = { ...(to[attribute.name] as Values | undefined) }
    copyPath(value, kept, below)
    to[attribute.name] = kept
  }
}

function omitPath(from: Values, [attribute, ...below]: readonly Attribute[]): Values {
  const value = attribute && from[attribute.name]
  if (!attribute || value === undefined) return from
  const { [attribute.name]: _, ...others } = from
  if (below.length === 0) return others
  const inner = Array.isArray(value)
    ? value.map(one => (isValues(one) ? omitPath(one, below) : one))
    : isValues(value)
      ? omitPath(value, below)
      : value
  return { ...others, [attribute.name]: inner }
}
