// The typed client: paths, parameters and answers come from the OpenAPI document. Web app and command line use this.
import createClient, { type Client } from 'openapi-fetch'
import type { paths } from './schema.ts'

export type { components, paths } from './schema.ts'

export function waybillClient(options: { base_url: string; key?: string }): Client<paths> {
  return createClient<paths>({
    baseUrl: options.base_url,
    ...(options.key === undefined ? {} : { headers: { authorization: `Bearer ${options.key}` } }),
  })
}
