// API keys of a service account, or of the caller.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatFields, formatTime } from '../print/table.ts'
import { argument, defineCommand, repeatedArgument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { list, number, requiredText, text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { confirmDeletion } from './confirm.ts'
import { readAndList } from './list.ts'
import { change, readAndShow } from './read.ts'
import { readTime } from './times.ts'

type Key = Schemas['ApiKey']

const ACCOUNT_FLAGS = {
  'service-account': text('the service account; without it, your own keys', {
    short: 's',
    placeholder: '<name>',
  }),
} as const
const EXPIRY_FLAGS = {
  'expires-at': text('when it expires: a date, a time or seconds since 1970', {
    short: 'e',
    placeholder: '<time>',
  }),
} as const

/** The path of the API keys of a service account or the caller. */
function getPlace(account: string | undefined) {
  return account === undefined
    ? { template: '/user/api-keys', params: {} as Record<string, string> }
    : {
        template: '/service-accounts/{org}/{name}/api-keys',
        params: { name: account } as Record<string, string>,
      }
}

function requireOrg({ org }: Context, account: string | undefined): void {
  if (account !== undefined && org === '')
    failUsage('--org is missing: the organization', 'Give the flag, or set WAYBILL_ORG.')
}

export const apiKeyCommands = [
  defineCommand({
    words: ['create', 'api-key'],
    also: [['create', 'ak']],
    summary: 'create an API key; it is shown only once',
    args: [],
    flags: {
      ...ACCOUNT_FLAGS,
      ...EXPIRY_FLAGS,
      description: requiredText('where it is used', { short: 'd', placeholder: '<text>' }),
      operations: list('what it may do: read, report, attest, administer', { placeholder: '<operations>' }),
      'allowed-address': list('from where it may be used', { placeholder: '<addresses>' }),
      flow: list('only for these flows; for a service account', { placeholder: '<flows>' }),
      environment: list('only for these environments; for a service account', { placeholder: '<names>' }),
    },
    needs: 'service',
    operations: ['createServiceAccountApiKey', 'createPersonalApiKey'],
    examples: ['create api-key --service-account ci --description pipeline --expires-at 2027-01-01'],
    run: ({ flags, context }) => {
      requireOrg(context, flags['service-account'])
      return change(context, {
        ...getPlace(flags['service-account']),
        method: 'POST',
        json: dropMissing({
          description: flags.description,
          expires_at: readTime(flags['expires-at'], 'expires-at'),
          operations: omitEmpty(flags.operations),
          allowed_addresses: omitEmpty(flags['allowed-address']),
          flows: omitEmpty(flags.flow),
          environments: omitEmpty(flags.environment),
        }),
        text: json => describeNewKey(json as Schemas['CreatedApiKey']),
        names: json => [(json as Schemas['CreatedApiKey']).key],
      })
    },
  }),
  defineCommand({
    words: ['get', 'api-key'],
    also: [['get', 'ak']],
    summary: 'show an API key, without the key itself',
    args: [argument('id', 'the id of the key')],
    flags: ACCOUNT_FLAGS,
    needs: 'service',
    operations: ['getServiceAccountApiKey', 'getPersonalApiKey'],
    examples: ['get api-key 0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d --service-account ci'],
    run: ({ args: { id = '' }, flags, context }) => {
      requireOrg(context, flags['service-account'])
      return readAndShow<Key>(context, nameKey(flags['service-account'], id), found => ({
        names: [found.id],
        text: formatFields([
          ['Id', found.id],
          ['Description', found.description],
          ['Ends in', found.hint],
          ['Created', formatTime(found.created_at)],
          ['Expires', formatMoment(found.expires_at)],
          ['Last used', formatMoment(found.last_used_at)],
          ['Last used from', found.last_used_from],
          ['May', found.operations?.join(', ') ?? 'everything its role allows'],
          ['Flows', found.flows?.join(', ')],
          ['Environments', found.environments?.join(', ')],
          ['Addresses', found.allowed_addresses.join(', ')],
        ]),
      }))
    },
  }),
  defineCommand({
    words: ['list', 'api-keys'],
    also: [
      ['list', 'api-key'],
      ['list', 'ak'],
      ['list', 'aks'],
    ],
    summary: 'list the API keys of a service account, or your own',
    args: [],
    flags: ACCOUNT_FLAGS,
    needs: 'service',
    operations: ['listServiceAccountApiKeys', 'listPersonalApiKeys'],
    examples: ['list api-keys --service-account ci'],
    run: ({ flags, context }) => {
      requireOrg(context, flags['service-account'])
      return readAndList<Key>(context, getPlace(flags['service-account']), {
        head: ['ID', 'DESCRIPTION', 'CREATED', 'EXPIRES', 'LAST USED'],
        toRow: found => [
          found.id,
          found.description,
          formatTime(found.created_at),
          formatMoment(found.expires_at),
          formatMoment(found.last_used_at),
        ],
        toName: ({ id }) => id,
        nothing: 'No API keys',
      })
    },
  }),
  defineCommand({
    words: ['rotate', 'api-key'],
    also: [['rotate', 'ak']],
    summary: 'replace API keys; the old ones work for a while',
    args: [repeatedArgument('id', 'the ids of the keys')],
    flags: {
      ...ACCOUNT_FLAGS,
      ...EXPIRY_FLAGS,
      'grace-period-hours': number('how long the old key works', { short: 'g', placeholder: '<hours>' }),
    },
    needs: 'service',
    operations: ['rotateServiceAccountApiKey', 'rotatePersonalApiKey'],
    examples: [
      'rotate api-key 0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d --service-account ci --grace-period-hours 24',
    ],
    run: async ({ repeated: ids, flags, context }) => {
      requireOrg(context, flags['service-account'])
      for (const id of ids) {
        const { template, params } = nameKey(flags['service-account'], id)
        await change(context, {
          method: 'POST',
          template: `${template}/rotate`,
          params,
          json: dropMissing({
            grace_period_hours: flags['grace-period-hours'],
            expires_at: readTime(flags['expires-at'], 'expires-at'),
          }),
          text: json => describeNewKey(json as Schemas['RotatedApiKey']),
          names: json => [(json as Schemas['RotatedApiKey']).key],
        })
      }
      return undefined
    },
  }),
  defineCommand({
    words: ['delete', 'api-key'],
    also: [['delete', 'ak']],
    summary: 'delete API keys; they stop working at once',
    args: [repeatedArgument('id', 'the ids of the keys')],
    flags: ACCOUNT_FLAGS,
    needs: 'service',
    operations: ['revokeServiceAccountApiKey', 'revokePersonalApiKey'],
    examples: ['delete api-key 0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d --service-account ci --assume-yes'],
    run: async ({ repeated: ids, flags, context }) => {
      requireOrg(context, flags['service-account'])
      if (!(await confirmDeletion(context, `API key ${ids.join(', ')}`))) return undefined
      for (const id of ids)
        await change(context, {
          ...nameKey(flags['service-account'], id),
          method: 'DELETE',
          text: () => `API key ${id} was deleted`,
          names: () => [id],
        })
      return undefined
    },
  }),
]

function nameKey(account: string | undefined, id: string) {
  const { template, params } = getPlace(account)
  return { template: `${template}/{key_id}`, params: { ...params, key_id: id } }
}

function describeNewKey(made: Schemas['CreatedApiKey'] | Schemas['RotatedApiKey']): string {
  return formatFields([
    ['Key', made.key],
    ['Id', made.id],
    ['Description', made.description],
    ['Expires', formatMoment(made.expires_at)],
    ...('grace_period_expires_at' in made
      ? ([['Old key works until', formatTime(made.grace_period_expires_at)]] as const)
      : []),
  ])
}

/** The API represents "never" as 0. */
const formatMoment = (seconds: number): string => (seconds === 0 ? 'never' : formatTime(seconds))

function omitEmpty(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values
}
