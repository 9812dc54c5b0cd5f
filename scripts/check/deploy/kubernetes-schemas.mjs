// Generates JSON schemas for kubeconform from the OpenAPI documents of Kubernetes and the definitions of its
// extensions, which come with their Go modules. Closed: a field unknown to Kubernetes is an error.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { getSource } from './tools.mjs'

const EXTENSIONS = [
  ['gateway-api', 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  ['prometheus-operator', 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml'],
  ['prometheus-operator', 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml'],
]

/** Returns the folder. */
export function writeSchemas(folder) {
  const documents = join(getSource('kubernetes'), 'api/openapi-spec/v3')
  for (const file of readdirSync(documents).filter(name => /^apis?__.*v\d+_openapi\.json$/.test(name))) {
    const { components } = JSON.parse(readFileSync(join(documents, file), 'utf8'))
    const closed = close(components?.schemas ?? {})
    for (const [name, schema] of Object.entries(closed)) {
      for (const kind of schema['x-kubernetes-group-version-kind'] ?? []) {
        write(folder, kind, { $ref: `#/components/schemas/${name}`, components: { schemas: closed } })
      }
    }
  }
  for (const { spec } of readExtensions()) writeExtension(folder, spec)
  return folder
}

/** The definitions of the extensions that the chart may use. */
export function readExtensions() {
  return EXTENSIONS.map(([source, file]) => parse(readFileSync(join(getSource(source), file), 'utf8')))
}

function writeExtension(folder, spec) {
  for (const { name: version, schema } of spec.versions) {
    const { properties, ...rest } = schema.openAPIV3Schema
    const closed = close({
      ...rest,
      properties: { ...properties, metadata: { type: 'object', 'x-open': true } },
    })
    write(folder, { group: spec.group, version, kind: spec.names.kind }, closed)
  }
}

/** Kubeconform's file names: kinds without a group have the version twice. */
function write(folder, { group, version, kind }, schema) {
  const name = `${kind.toLowerCase()}-${group || version}-${version}.json`
  writeFileSync(join(folder, name), JSON.stringify(schema))
}

/** Objects have only the fields that they declare. Formats and nulls follow OpenAPI, not JSON Schema. */
function close(value) {
  if (Array.isArray(value)) return value.map(close)
  if (typeof value !== 'object' || value === null) return value
  const { format, nullable, ...rest } = value
  const closed = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, close(item)]))
  if (format === 'int-or-string' || value['x-kubernetes-int-or-string'])
    return { type: ['integer', 'string'] }
  const isOpen =
    value['x-open'] || value['x-kubernetes-preserve-unknown-fields'] || value.additionalProperties
  if (value.type === 'object' && value.properties !== undefined && !isOpen)
    closed.additionalProperties = false
  return closed
}
