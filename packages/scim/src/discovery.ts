// The discovery endpoints for identity providers: supported features, resource types and schemas.
import type { ResourceType } from './attributes.ts'
import { listEnvelope, MAX_LISTED } from './list.ts'
import { noSuchResource } from './problems.ts'
import {
  type AttributeDefinition,
  ENTERPRISE_DEFINITION,
  GROUP_DEFINITION,
  type SchemaDefinition,
  USER_DEFINITION,
} from './schemas.ts'
import type { Values } from './values.ts'

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const RESOURCE_TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const DEFINITIONS = [USER_DEFINITION, GROUP_DEFINITION, ENTERPRISE_DEFINITION]

/** The service's description of itself. */
export interface ServiceDescription {
  /** The base URL of the resources. */
  address: string
  /** How to get a bearer token. */
  token: string
  /** Describes the resource type: `Users of the organization`. */
  describeType(type: ResourceType): string
}

export function getServiceProviderConfig({ address, token }: ServiceDescription): Values {
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
        description: token,
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${address}/ServiceProviderConfig` },
  }
}

export function listResourceTypes(service: ServiceDescription, types: readonly ResourceType[]): Values {
  return listEnvelope(
    types.map(type => renderResourceType(type, service)),
    types.length,
    1,
  )
}

export function getResourceType(
  service: ServiceDescription,
  types: readonly ResourceType[],
  name: string,
): Values {
  const type = types.find(one => one.name.toLowerCase() === name.toLowerCase())
  if (!type) throw noSuchResource('ResourceType', name)
  return renderResourceType(type, service)
}

export function listSchemas({ address }: ServiceDescription): Values {
  return listEnvelope(
    DEFINITIONS.map(definition => renderSchema(definition, address)),
    DEFINITIONS.length,
    1,
  )
}

export function getSchema({ address }: ServiceDescription, id: string): Values {
  const definition = DEFINITIONS.find(one => one.id.toLowerCase() === id.toLowerCase())
  if (!definition) throw noSuchResource('Schema', id)
  return renderSchema(definition, address)
}

function renderResourceType(type: ResourceType, { address, describeType }: ServiceDescription): Values {
  const { name, endpoint, schema, extensions } = type
  return {
    schemas: [RESOURCE_TYPE_SCHEMA],
    id: name,
    name,
    description: describeType(type),
    endpoint: `/${endpoint}`,
    schema,
    ...(extensions.length > 0
      ? { schemaExtensions: extensions.map(urn => ({ schema: urn, required: false })) }
      : {}),
    meta: { resourceType: 'ResourceType', location: `${address}/ResourceTypes/${name}` },
  }
}

function renderSchema({ id, name, description, attributes }: SchemaDefinition, address: string): Values {
  return {
    schemas: [SCHEMA_SCHEMA],
    id,
    name,
    description,
    attributes: attributes.map(renderAttribute),
    meta: { resourceType: 'Schema', location: `${address}/Schemas/${id}` },
  }
}

/** Case and uniqueness mean nothing for objects, and uniqueness nothing for booleans. */
function renderAttribute(definition: AttributeDefinition): Values {
  const { caseExact, uniqueness, subAttributes, ...others } = definition
  const { type } = definition
  return {
    ...others,
    ...(type === 'complex' || type === 'boolean' ? {} : { caseExact, uniqueness }),
    returned: 'default',
    ...(subAttributes ? { subAttributes: subAttributes.map(renderAttribute) } : {}),
  }
}
