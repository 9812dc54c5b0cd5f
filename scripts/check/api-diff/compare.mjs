// Compares two OpenAPI documents and decides which changes break clients. Pure: documents in, findings out. A finding
// is { breaking, where, what }.
import { compareSchemas } from './schemas.mjs'

const METHODS = ['get', 'put', 'post', 'patch', 'delete']

export function compareDocuments(before, after) {
  const old = listOperations(before)
  const current = listOperations(after)
  const removed = [...old.keys()].filter(name => !current.has(name))
  const added = [...current.keys()].filter(name => !old.has(name))
  return [
    ...removed.map(where => ({ breaking: true, where, what: 'operation removed' })),
    ...added.map(where => ({ breaking: false, where, what: 'operation added' })),
    ...[...old.keys()]
      .filter(name => current.has(name))
      .flatMap(where =>
        compareOperations(where, { ...old.get(where), before }, { ...current.get(where), after }),
      ),
  ]
}

function listOperations({ paths }) {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      METHODS.filter(method => item[method]).map(method => [`${method.toUpperCase()} ${path}`, item[method]]),
    ),
  )
}

function compareOperations(where, old, current) {
  const documents = { before: old.before, after: current.after }
  return [
    ...compareParameters(where, old.parameters ?? [], current.parameters ?? [], documents),
    ...compareBodies(where, old.requestBody, current.requestBody, documents),
    ...compareResponses(where, old.responses, current.responses, documents),
  ]
}

function compareParameters(where, old, current, documents) {
  const find = (list, { name, in: place }) => list.find(other => other.name === name && other.in === place)
  const formatLabel = ({ name, in: place }) => `${where}: ${place} parameter '${name}'`
  return [
    ...old
      .filter(parameter => !find(current, parameter))
      .map(parameter => ({ breaking: true, where: formatLabel(parameter), what: 'removed' })),
    ...current.flatMap(parameter => {
      const earlier = find(old, parameter)
      const place = formatLabel(parameter)
      if (!earlier)
        return [
          { breaking: parameter.required === true, where: place, what: describeNew(parameter.required) },
        ]
      const required = parameter.required === true && earlier.required !== true
      return [
        ...(required ? [{ breaking: true, where: place, what: 'became required' }] : []),
        ...compareSchemas(place, earlier.schema, parameter.schema, { ...documents, direction: 'request' }),
      ]
    }),
  ]
}

function compareBodies(where, old, current, documents) {
  const place = `${where}: request body`
  if (!old && !current) return []
  if (!old)
    return [{ breaking: current.required === true, where: place, what: describeNew(current.required) }]
  if (!current) return [{ breaking: true, where: place, what: 'removed' }]
  return compareContents(place, old.content, current.content, { ...documents, direction: 'request' })
}

function compareResponses(where, old, current, documents) {
  return Object.keys(old).flatMap(status => {
    const place = `${where}: ${status}`
    if (!current[status]) return [{ breaking: status.startsWith('2'), where: place, what: 'status removed' }]
    const context = { ...documents, direction: 'response' }
    return compareContents(place, old[status].content ?? {}, current[status].content ?? {}, context)
  })
}

function compareContents(where, old, current, context) {
  return Object.keys(old).flatMap(type =>
    current[type]
      ? compareSchemas(`${where} (${type})`, old[type].schema, current[type].schema, context)
      : [{ breaking: true, where, what: `${type} removed` }],
  )
}

const describeNew = required => (required === true ? 'added and required' : 'added')
