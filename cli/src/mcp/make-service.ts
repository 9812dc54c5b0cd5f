// The requests that questions may send to the service: reads, and computing what a policy would change. They
// cannot write.
import { read } from '../commands/read.ts'
import { fillPath } from '../http/api.ts'
import type { Context } from '../program/context.ts'
import type { Service } from './question.ts'

export function makeService(context: Context): Service {
  const { api, host, org } = context
  return {
    read: async <T>(reading: Parameters<Service['read']>[0]) => (await read(context, reading)).json as T,
    tryPolicy: async <T>(name: string | undefined, json: unknown) => {
      const template = name === undefined ? '/policies/{org}/try' : '/policies/{org}/{name}/try'
      const path = fillPath(template, name === undefined ? { org } : { org, name })
      return (await api.call({ method: 'POST', path, json })).json as T
    },
    link: (...path) => [host, ...[org, ...path].map(encodeURIComponent)].join('/'),
  }
}
