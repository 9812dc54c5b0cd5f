// The routes of a SCIM service, for any HTTP server: the requests, how to parse their parameters and how to
// respond. The caller decides how to store resources.
import type { ResourceType } from './attributes.ts'
import {
  getResourceType,
  getSchema,
  getServiceProviderConfig,
  listResourceTypes,
  listSchemas,
  type ServiceDescription,
} from './discovery.ts'
import type { ListQuery } from './list.ts'
import { invalidSyntax, invalidValue } from './problems.ts'
import { applyProjection, type Projection } from './projection.ts'
import type { Values } from './values.ts'

export const SCIM_MEDIA_TYPE = 'application/scim+json'

/** The resources of one type. `Context` is whatever the caller knows about a request, such as its tenant. */
export interface Resources<Context> {
  type: ResourceType
  create(context: Context, body: unknown): Promise<Values>
  get(context: Context, id: string, projection: Projection): Promise<Values>
  list(context: Context, query: ListQuery): Promise<Values>
  replace(context: Context, id: string, body: unknown): Promise<Values>
  patch(context: Context, id: string, body: unknown): Promise<Values>
  remove(context: Context, id: string): Promise<void>
}

interface Message {
  /** From the path; empty if the route has none. */
  id: string
  query: Readonly<Record<string, unknown>>
  body: unknown
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** Undefined for a response without a body. */
  body: Values | undefined
}

export interface Route<Context> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base URL, with `:id` for the id. */
  path: string
  /** Rejects with `ScimProblem`, or with whatever the resources reject with. */
  answer(context: Context, message: Message): Promise<Answer>
}

export function buildRoutes<Context>(
  resources: readonly Resources<Context>[],
  describeService: (context: Context) => ServiceDescription,
): Route<Context>[] {
  const types = resources.map(({ type }) => type)
  return [...resources.flatMap(buildResourceRoutes), ...buildDiscoveryRoutes(types, describeService)]
}

function buildResourceRoutes<Context>(resources: Resources<Context>): Route<Context>[] {
  const { type } = resources
  const all = `/${type.endpoint}`
  const one = `${all}/:id`
  return [
    {
      method: 'POST',
      path: all,
      answer: async (context, { query, body }) => {
        const projection = readQuery(query)
        const created = await resources.create(context, body)
        const { location } = created.meta as { location: string }
        return { status: 201, headers: { location }, body: applyProjection(type, created, projection) }
      },
    },
    {
      method: 'GET',
      path: all,
      answer: async (context, { query }) => ok(await resources.list(context, readQuery(query))),
    },
    {
      method: 'GET',
      path: one,
      answer: async (context, { id, query }) => ok(await resources.get(context, id, readQuery(query))),
    },
    ...(['PUT', 'PATCH'] as const).map(method => ({
      method,
      path: one,
      answer: async (context: Context, { id, query, body }: Message) => {
        const projection = readQuery(query)
        const changed = await (method === 'PUT'
          ? resources.replace(context, id, body)
          : resources.patch(context, id, body))
        return ok(applyProjection(type, changed, projection))
      },
    })),
    {
      method: 'DELETE',
      path: one,
      answer: async (context, { id }) => {
        await resources.remove(context, id)
        return { status: 204, headers: {}, body: undefined }
      },
    },
  ]
}

function buildDiscoveryRoutes<Context>(
  types: readonly ResourceType[],
  describeService: (context: Context) => ServiceDescription,
): Route<Context>[] {
  const get = (path: string, read: (service: ServiceDescription, id: string) => Values): Route<Context> => ({
    method: 'GET',
    path,
    answer: async (context, { id }) => ok(read(describeService(context), id)),
  })
  return [
    get('/ServiceProviderConfig', getServiceProviderConfig),
    get('/ResourceTypes', service => listResourceTypes(service, types)),
    get('/ResourceTypes/:id', (service, id) => getResourceType(service, types, id)),
    get('/Schemas', listSchemas),
    get('/Schemas/:id', getSchema),
  ]
}

const ok = (body: Values): Answer => ({ status: 200, headers: {}, body })

/** Other parameters, such as `sortBy`, are ignored, as the RFC requires. */
function readQuery(query: Message['query']): ListQuery {
  const readText = (name: keyof ListQuery) => {
    const value = query[name]
    if (value === undefined) return undefined
    if (typeof value !== 'string') throw invalidValue(`${name} is given more than once`)
    if (value.includes('\0')) throw invalidSyntax(`${name} contains a NUL character`)
    return value
  }
  return {
    filter: readText('filter'),
    startIndex: readText('startIndex'),
    count: readText('count'),
    attributes: readText('attributes'),
    excludedAttributes: readText('excludedAttributes'),
  }
}
