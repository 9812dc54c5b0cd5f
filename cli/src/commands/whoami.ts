// Who the service takes the caller for.
import type { Schemas } from '../api-types.ts'
import { readStoredToken } from '../credentials.ts'
import { formatFields, formatTable } from '../print/table.ts'
import { defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Problem } from '../program/problem.ts'
import { read } from './read.ts'

export const whoamiCommands = [
  defineCommand({
    words: ['whoami'],
    summary: 'show the organizations and roles of the API key that is used',
    args: [],
    flags: {},
    needs: 'service',
    operations: ['listOrganizations', 'getOrganization'],
    examples: ['whoami'],
    run: async ({ context }) => {
      const origin = describeKeyOrigin(context)
      if (origin === undefined)
        throw new Problem('There is no API key', {
          exit: 'not_allowed',
          hint: 'Set WAYBILL_API_TOKEN, or sign in with "waybill login".',
        })
      const { json, rows } = await findMemberships(context)
      await context.output.show({
        json,
        names: rows.map(([name]) => name),
        text: [
          formatFields([
            ['Service', context.host],
            ['Key from', origin],
          ]),
          '',
          rows.length === 0
            ? 'The key belongs to no organization'
            : formatTable([['ORGANIZATION', 'ROLE', 'DESCRIPTION'], ...rows]),
        ].join('\n'),
      })
      return undefined
    },
  }),
]

interface Memberships {
  json: unknown
  rows: [string, string, string][]
}

/** Only people can list their organizations. A service account sees the one that it belongs to. */
async function findMemberships(context: Context): Promise<Memberships> {
  try {
    const { json } = await read(context, { template: '/organizations' })
    const own = json as Schemas['OwnOrganization'][]
    return { json, rows: own.map(({ name, role, description }) => [name, role, description]) }
  } catch (error) {
    if (!(error instanceof Problem) || error.exit !== 'not_allowed' || context.org === '') throw error
    const { json } = await read(context, { template: '/organizations/{org}' })
    const { name, description } = json as Schemas['Organization']
    return { json, rows: [[name, 'service account', description]] }
  }
}

/** Never the key itself. */
export function describeKeyOrigin({ origins, host, system }: Context): string | undefined {
  const given = origins.get('api-token')
  if (given !== undefined) return given.from
  const file = origins.get('api-token-file')
  if (file !== undefined) return `the file ${file.texts.at(-1)} (${file.from})`
  return readStoredToken(system.env, host) === undefined ? undefined : 'waybill login'
}
