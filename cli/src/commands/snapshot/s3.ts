// Reports the contents of a bucket.
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { list, requiredText, text } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import { type KeySelection, observeBucket } from '../../reporters/aws/s3.ts'
import type { Observation } from '../../reporters/observation.ts'
import { AWS_FLAGS, type AwsValues, openAws } from './aws.ts'
import { CREATE_FLAGS, createMissing, reportEnvironment } from './report.ts'

export const S3_FLAGS = {
  bucket: requiredText('the bucket', { placeholder: '<name>' }),
  include: list('only keys that begin so', { short: 'i', placeholder: '<prefix>' }),
  'include-regex': list('only keys that match', { placeholder: '<pattern>' }),
  exclude: list('all keys but those that begin so', { short: 'x', placeholder: '<prefix>' }),
  'exclude-regex': list('all keys but those that match', { placeholder: '<pattern>' }),
  'download-budget': text('accepted for compatibility: nothing is stored', { is_hidden: true }),
  'download-concurrency': text('accepted for compatibility: eight at a time', { is_hidden: true }),
  ...AWS_FLAGS,
} as const

export interface S3Values extends AwsValues {
  bucket: string
  include: readonly string[]
  'include-regex': readonly string[]
  exclude: readonly string[]
  'exclude-regex': readonly string[]
}

const BUCKET = /^[a-zA-Z0-9._-]{3,255}$/

export const snapshotS3 = defineCommand({
  words: ['snapshot', 's3'],
  also: [['snapshot', 'S3']],
  summary: 'report the content of a bucket as one artifact',
  details:
    'The fingerprint is the one of the method dir for the same files in a folder. A single object is a file. Keys that no folder can have together are refused.',
  args: [argument('environment', 'the environment')],
  flags: { ...S3_FLAGS, ...CREATE_FLAGS },
  needs: 'org',
  operations: ['reportBucket'],
  is_recorded: true,
  examples: [
    'snapshot s3 website --bucket example-site',
    'snapshot s3 website --bucket example-site -x logs/',
  ],
  run: async ({ args, flags, context }) => {
    const target = { environment: args.environment ?? '', type: 'S3' } as const
    const observation = await (await watchS3(flags, context))()
    await createMissing(target, flags, context)
    return reportEnvironment(target, observation, context)
  },
})

/** Returns a function that takes one observation. It reads only objects that changed since the last time. */
export async function watchS3(flags: S3Values, context: Context): Promise<() => Promise<Observation>> {
  const { bucket } = flags
  if (!BUCKET.test(bucket)) failUsage(`--bucket: "${bucket}" is not the name of a bucket`)
  const selection = await selectKeys(flags)
  const aws = openAws(flags, context)
  const known = new Map<string, string>()
  return () => {
    const observed_at = Math.floor(context.system.now_ms() / 1000)
    return observeBucket({ ...aws, bucket, selection, known, observed_at })
  }
}

async function selectKeys(flags: S3Values): Promise<KeySelection> {
  const { include, 'include-regex': included, exclude, 'exclude-regex': excluded } = flags
  const isPositive = include.length + included.length > 0
  const isNegative = exclude.length + excluded.length > 0
  if (isPositive && isNegative)
    failUsage('--include and --include-regex cannot be combined with --exclude and --exclude-regex')
  if (!isPositive && !isNegative) return { isPicked: () => true, description: '' }
  const { compile } = await import('../../reporters/aws/pick-names.ts')
  const prefixes = (isPositive ? include : exclude).map(prefix => prefix.replace(/^\/+/, ''))
  const patterns = isPositive ? included : excluded
  const matchers = patterns.map(pattern => compile(pattern, isPositive ? 'include-regex' : 'exclude-regex'))
  const matches = (key: string) =>
    prefixes.some(prefix => key.startsWith(prefix)) || matchers.some(match => match(key))
  return {
    isPicked: isPositive ? matches : key => !matches(key),
    description: `${isPositive ? 'only' : 'without'} ${[...prefixes, ...patterns].join(', ')}`,
  }
}
