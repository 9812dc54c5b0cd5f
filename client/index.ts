// The typed client: paths, parameters and responses come from the OpenAPI document. The web app uses it, and any
// other program that calls the API can use it too.
import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './schema.ts'

export type { components, paths } from './schema.ts'

export function createWaybillClient(options: { base_url: string; key?: string }): Client<paths> {
  return createClient<paths>({
    baseUrl: options.base_url,
    ...(options.key === undefined ? {} : { headers: { authorization: `Bearer ${options.key}` } }),
  })
}
