// The common part of the AWS reporters: flags for credentials and region, and the client.

import { makeExchange } from '../../http/exchange.ts'
import type { Context } from '../../program/context.ts'
import { text, toggle } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import { findEndpoint, makeSendToAws } from '../../reporters/aws/client.ts'
import { readSettings } from '../../reporters/aws/config-files.ts'
import { makeGetCredentials } from '../../reporters/aws/credentials.ts'

export const AWS_FLAGS = {
  'aws-key-id': text('an access key; better in AWS_ACCESS_KEY_ID, a profile or a role', {
    placeholder: '<id>',
  }),
  'aws-secret-key': text('the secret of the access key', { placeholder: '<secret>' }),
  'aws-region': text('the region; AWS_REGION or that of the profile by default', { placeholder: '<region>' }),
  'allow-exec': toggle('let the AWS profile run programs for credentials'),
} as const

export interface AwsValues {
  'aws-key-id': string | undefined
  'aws-secret-key': string | undefined
  'aws-region': string | undefined
  'allow-exec': boolean
}

const REGION = /^[a-z0-9-]+$/

/** Looks up credentials when the first request is sent. */
export function openAws(flags: AwsValues, { exchange, system, timeout_ms, signal }: Context) {
  const { 'aws-key-id': key_id, 'aws-secret-key': secret, 'allow-exec': allows_exec } = flags
  if ((key_id === undefined) !== (secret === undefined))
    failUsage('--aws-key-id and --aws-secret-key belong together')
  const { env, now_ms } = system
  const settings = readSettings(env)
  const profile = settings.profiles.get(settings.profile)
  const region = flags['aws-region'] ?? (env.AWS_REGION || env.AWS_DEFAULT_REGION || profile?.region)
  if (region === undefined) failUsage('--aws-region is missing: the region', 'Or set AWS_REGION.')
  if (!REGION.test(region)) failUsage(`--aws-region: "${region}" is not a region`)
  const endpoint = findEndpoint(env, profile?.endpoint_url)
  const parts = { region, endpoint, exchange, now_ms, timeout_ms, signal }
  const getCredentials = makeGetCredentials({
    ...parts,
    env,
    settings,
    given: key_id === undefined || secret === undefined ? undefined : { key_id, secret },
    allows_exec,
    exchange_directly: makeExchange({}),
  })
  return { send: makeSendToAws(parts), getCredentials, region }
}
