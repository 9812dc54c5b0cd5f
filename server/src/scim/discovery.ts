// The discovery endpoints for identity providers: supported features, resource types and schemas.
import { describeSchemas, GROUP, type ResourceType, USER } from './attributes.ts'
import { listEnvelope, MAX_LISTED } from './list.ts'
import { noSuchResource } from './problems.ts'
import { buildScimUrl, type ScimDeps, type ScimRequest } from './provision.ts'
import type { Values } from './values.ts'

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const RESOURCE_TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'

export function getServiceProviderConfig({ base_url }: ScimDeps, { org }: Pick<ScimRequest, 'org'>): Values {
  return {
    schemas: [CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_LISTED },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A SCIM token of the organization, created by one of its admins',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: `${buildScimUrl(base_url, org.name)}/ServiceProviderConfig`,
    },
  }
}

export function listResourceTypes(deps: ScimDeps, { org }: Pick<ScimRequest, 'org'>) {
  const types = [USER, GROUP].map(type => buildResourceType(type, buildScimUrl(deps.base_url, org.name)))
  return listEnvelope(types, types.length, 1)
}

export function getResourceType(deps: ScimDeps, { org }: Pick<ScimRequest, 'org'>, name: string): Values {
  const type = [USER, GROUP].find(one => one.name.toLowerCase() === name.toLowerCase())
  if (!type) throw noSuchResource('ResourceType', name)
  return buildResourceType(type, buildScimUrl(deps.base_url, org.name))
}

export function listSchemas(deps: ScimDeps, { org }: Pick<ScimRequest, 'org'>) {
  const schemas = describeSchemas(`${buildScimUrl(deps.base_url, org.name)}/Schemas`)
  return listEnvelope(schemas, schemas.length, 1)
}

export function getSchema(deps: ScimDeps, { org }: Pick<ScimRequest, 'org'>, id: string): Values {
  const schemas = describeSchemas(`${buildScimUrl(deps.base_url, org.name)}/Schemas`)
  const schema = schemas.find(one => one.id.toLowerCase() === id.toLowerCase())
  if (!schema) throw noSuchResource('Schema', id)
  return schema
}

function buildResourceType({ name, endpoint, schema, extensions }: ResourceType, address: string): Values {
  return {
    schemas: [RESOURCE_TYPE_SCHEMA],
    id: name,
    name,
    description: `${name}s of the organization`,
    endpoint: `/${endpoint}`,
    schema,
    ...(extensions.length > 0
      ? { schemaExtensions: extensions.map(urn => ({ schema: urn, required: false })) }
      : {}),
    meta: { resourceType: 'ResourceType', location: `${address}/ResourceTypes/${name}` },
  }
}
