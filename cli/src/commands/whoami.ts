// Shows who the caller is to the service.
import type { Schemas } from '../api-types.ts'
import type { CiKey } from '../ci/stored-key.ts'
import { describeTokenSource } from '../ci/tokens.ts'
import { readStoredToken } from '../credentials.ts'
import { formatFields, formatTable, formatTime } from '../print/table.ts'
import { defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { Problem } from '../program/problem.ts'
import { read } from './read.ts'

/** The prefix of keys that jobs get for their identity. */
const JOB_KEY_PREFIX = 'wb_ci_'

export const whoamiCommands = [
  defineCommand({
    words: ['whoami'],
    summary: 'show the organizations and roles of the API key that is used',
    details:
      'In a job without a key, exchanges its identity token as every other command does, and shows the trust rule that ' +
      'gave the key and until when it is valid.',
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
      const job = usesJobKey(context) ? await context.getJobKey?.() : undefined
      const { json, rows } = await findMemberships(context, job)
      await context.output.show({
        json,
        names: rows.map(([name]) => name),
        text: [
          formatFields([
            ['Service', context.host],
            ['Key from', origin],
            ...(job === undefined
              ? []
              : ([
                  ['Trust rule', job.rule],
                  ['Valid until', formatTime(job.expires_at)],
                ] as const)),
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

/** Only people can list their organizations. A service account or a job sees only its own. */
async function findMemberships(context: Context, job: CiKey | undefined): Promise<Memberships> {
  try {
    const { json } = await read(context, { template: '/organizations' })
    const own = json as Schemas['OwnOrganization'][]
    return { json, rows: own.map(({ name, role, description }) => [name, role, description]) }
  } catch (error) {
    if (!(error instanceof Problem) || error.exit !== 'not_allowed' || context.org === '') throw error
    const { json } = await read(context, { template: '/organizations/{org}' })
    const { name, description } = json as Schemas['Organization']
    const isOfJob = (await context.getToken())?.startsWith(JOB_KEY_PREFIX)
    const role = isOfJob ? 'keyless CI' : 'service account'
    const rule = job === undefined ? {} : { trust_rule: job.rule, expires_at: job.expires_at }
    return { json: { ...(json as object), ...rule }, rows: [[name, role, description]] }
  }
}

/** Nothing else provided a key. */
const usesJobKey = (context: Context): boolean => findGivenKey(context) === undefined

/** Never contains the key itself. */
export function describeKeyOrigin(context: Context): string | undefined {
  const given = findGivenKey(context)
  if (given !== undefined || context.getJobKey === undefined) return given
  return `the identity token of this job (${describeTokenSource(context.key_request)})`
}

function findGivenKey({ origins, host, system }: Context): string | undefined {
  const given = origins.get('api-token')
  if (given !== undefined) return given.from
  const file = origins.get('api-token-file')
  if (file !== undefined) return `the file ${file.texts.at(-1)} (${file.from})`
  return readStoredToken(system.env, host) === undefined ? undefined : 'waybill login'
}
