// Reports the code of Lambda functions.
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { list, toggle } from '../../program/flags.ts'
import { observeFunctions } from '../../reporters/aws/lambda.ts'
import type { Observation } from '../../reporters/observation.ts'
import { AWS_FLAGS, type AwsValues, openAws } from './aws.ts'
import { CREATE_FLAGS, createMissing, reportEnvironment } from './report.ts'

export const LAMBDA_FLAGS = {
  'function-names': list('only these functions', { placeholder: '<name>' }),
  'function-names-regex': list('only functions whose name matches', { placeholder: '<pattern>' }),
  exclude: list('all functions but these', { short: 'x', placeholder: '<name>' }),
  'exclude-regex': list('all functions but those whose name matches', { placeholder: '<pattern>' }),
  'all-versions': toggle('also the published versions, each as name:version'),
  ...AWS_FLAGS,
} as const

export interface LambdaValues extends AwsValues {
  'function-names': readonly string[]
  'function-names-regex': readonly string[]
  exclude: readonly string[]
  'exclude-regex': readonly string[]
  'all-versions': boolean
}

export const snapshotLambda = defineCommand({
  words: ['snapshot', 'lambda'],
  summary: 'report the code of Lambda functions',
  details:
    'Reports the hash of the archive, or the digest of the image, that each function runs: the unpublished version, and with --all-versions also the published ones.',
  args: [argument('environment', 'the environment')],
  flags: { ...LAMBDA_FLAGS, ...CREATE_FLAGS },
  needs: 'org',
  operations: ['reportFunctions'],
  is_recorded: true,
  examples: ['snapshot lambda production', 'snapshot lambda production --function-names checkout,refund'],
  run: async ({ args, flags, context }) => {
    const target = { environment: args.environment ?? '', type: 'lambda' } as const
    const observation = await (await watchLambda(flags, context))()
    await createMissing(target, flags, context)
    return reportEnvironment(target, observation, context)
  },
})

/** Returns a function that takes one observation. */
export async function watchLambda(
  flags: LambdaValues,
  context: Context,
): Promise<() => Promise<Observation>> {
  const { pickNames } = await import('../../reporters/aws/pick-names.ts')
  const functions = pickNames('functions', {
    flags: {
      names: 'function-names',
      patterns: 'function-names-regex',
      excluded_names: 'exclude',
      excluded_patterns: 'exclude-regex',
    },
    names: flags['function-names'],
    patterns: flags['function-names-regex'],
    excluded_names: flags.exclude,
    excluded_patterns: flags['exclude-regex'],
  })
  const aws = openAws(flags, context)
  return () => {
    const observed_at = Math.floor(context.system.now_ms() / 1000)
    return observeFunctions({ ...aws, functions, has_versions: flags['all-versions'], observed_at })
  }
}
