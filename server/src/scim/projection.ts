// Which attributes an answer has: `attributes` names them, `excludedAttributes` leaves some out; id and schemas stay.
import { type Attribute, attributesOnPath, type ResourceType } from './attributes.ts'
import { isValues, type Values } from './values.ts'

export interface Projection {
  attributes: string | undefined
  excludedAttributes: string | undefined
}

const ALWAYS = ['schemas', 'id']

export function projected(type: ResourceType, resource: Values, projection: Projection): Values {
  if (projection.attributes) {
    const kept: Values = {}
    for (const name of ALWAYS) kept[name] = resource[name]
    for (const path of pathsIn(type, projection.attributes)) copy(resource, kept, path)
    return kept
  }
  const paths = pathsIn(type, projection.excludedAttributes ?? '')
  return paths.reduce(
    (left, path) => (ALWAYS.includes(path[0]?.name ?? '') ? left : without(left, path)),
    resource,
  )
}

/** Whether an answer will have any of an attribute: what is costly to find is not looked for in vain. */
export function isWanted(type: ResourceType, name: string, projection: Projection): boolean {
  const isNamed = (path: readonly Attribute[]) => path[0]?.name === name
  if (projection.attributes) return pathsIn(type, projection.attributes).some(isNamed)
  return !pathsIn(type, projection.excludedAttributes ?? '').some(path => isNamed(path) && path.length === 1)
}

/** Names that mean nothing are passed over: they could be of another version of the schema. */
function pathsIn(type: ResourceType, list: string): Attribute[][] {
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
    .flatMap(name => {
      const path = attributesOnPath(type, name)
      return path ? [path] : []
    })
}

function copy(from: Values, to: Values, [attribute, ...below]: readonly Attribute[]): void {
  const value = attribute && from[attribute.name]
  if (!attribute || value === undefined) return
  if (below.length === 0) to[attribute.name] = value
  else if (Array.isArray(value)) {
    const before = to[attribute.name]
    to[attribute.name] = value.map((one, i) => {
      const kept: Values = { ...(Array.isArray(before) ? before[i] : {}) }
      if (isValues(one)) copy(one, kept, below)
      return kept
    })
  } else if (isValues(value)) {
    const kept: Values = { ...(to[attribute.name] as Values | undefined) }
    copy(value, kept, below)
    to[attribute.name] = kept
  }
}

function without(from: Values, [attribute, ...below]: readonly Attribute[]): Values {
  const value = attribute && from[attribute.name]
  if (!attribute || value === undefined) return from
  const { [attribute.name]: _, ...others } = from
  if (below.length === 0) return others
  const inner = Array.isArray(value)
    ? value.map(one => (isValues(one) ? without(one, below) : one))
    : isValues(value)
      ? without(value, below)
      : value
  return { ...others, [attribute.name]: inner }
}
