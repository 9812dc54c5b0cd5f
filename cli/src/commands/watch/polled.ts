// Long-running reporters that poll, because their target does not announce changes.
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { numberOr } from '../../program/flags.ts'
import type { Observation } from '../../reporters/observation.ts'
import { type Look, pollChanges } from '../../reporters/poll.ts'
import { observe } from '../snapshot/docker.ts'
import { ECS_FLAGS, watchEcs } from '../snapshot/ecs.ts'
import { LAMBDA_FLAGS, watchLambda } from '../snapshot/lambda.ts'
import {
  FOLDER_FLAGS,
  ONE_PATH_FLAGS,
  PATHS_FILE_FLAGS,
  readOnePath,
  readPathsFile,
  readServerPaths,
  SERVER_FLAGS,
  watchPaths,
} from '../snapshot/paths.ts'
import type { CreateValues, Target } from '../snapshot/report.ts'
import { S3_FLAGS, watchS3 } from '../snapshot/s3.ts'
import { beginWatch, WATCH_FLAGS } from './report.ts'

const ENVIRONMENT = argument('environment', 'the environment')
const every = (seconds: number) => numberOr('seconds between looking', seconds, { min: 1, max: 3600 })
/** Often enough to be useful, and rarely enough for the API limits. */
const AWS_SECONDS = 60
const SILENCE =
  'While nothing can be seen nothing is reported, so that the environment becomes stale and not green by mistake.'

interface WatchValues extends CreateValues {
  heartbeat: number
  every: number
}

export const polledWatches = [
  defineCommand({
    words: ['watch', 'docker'],
    summary: 'report the running containers of a machine again and again',
    args: [ENVIRONMENT],
    flags: { ...WATCH_FLAGS, every: every(10) },
    needs: 'org',
    operations: ['reportContainers', 'getEnvironment'],
    is_recorded: true,
    examples: ['watch docker build-machine'],
    run: ({ args, flags, context }) =>
      watch({ environment: args.environment ?? '', type: 'docker' }, flags, context, () => observe(context)),
  }),
  defineCommand({
    words: ['watch', 'ecs'],
    summary: 'report what the tasks of ECS run, and every change of it',
    details: SILENCE,
    args: [ENVIRONMENT],
    flags: { ...ECS_FLAGS, ...WATCH_FLAGS, every: every(AWS_SECONDS) },
    needs: 'org',
    operations: ['reportTasks', 'getEnvironment'],
    is_recorded: true,
    examples: ['watch ecs production --clusters main'],
    run: async ({ args, flags, context }) =>
      watch(
        { environment: args.environment ?? '', type: 'ECS' },
        flags,
        context,
        await watchEcs(flags, context),
      ),
  }),
  defineCommand({
    words: ['watch', 'lambda'],
    summary: 'report the code of Lambda functions, and every change of it',
    details: SILENCE,
    args: [ENVIRONMENT],
    flags: { ...LAMBDA_FLAGS, ...WATCH_FLAGS, every: every(AWS_SECONDS) },
    needs: 'org',
    operations: ['reportFunctions', 'getEnvironment'],
    is_recorded: true,
    examples: ['watch lambda production'],
    run: async ({ args, flags, context }) =>
      watch(
        { environment: args.environment ?? '', type: 'lambda' },
        flags,
        context,
        await watchLambda(flags, context),
      ),
  }),
  defineCommand({
    words: ['watch', 's3'],
    also: [['watch', 'S3']],
    summary: 'report the content of a bucket, and every change of it',
    details: `Reads an object again only if it has changed. ${SILENCE}`,
    args: [ENVIRONMENT],
    flags: { ...S3_FLAGS, ...WATCH_FLAGS, every: every(AWS_SECONDS) },
    needs: 'org',
    operations: ['reportBucket', 'getEnvironment'],
    is_recorded: true,
    examples: ['watch s3 website --bucket example-site'],
    run: async ({ args, flags, context }) =>
      watch(
        { environment: args.environment ?? '', type: 'S3' },
        flags,
        context,
        await watchS3(flags, context),
      ),
  }),
]

const PATH_SECONDS = 10
const PATH_DETAILS = `Looks at names, sizes and times, and reads the files when one of them has changed and for each regular report. ${SILENCE}`

export const pathWatches = [
  defineCommand({
    words: ['watch', 'path'],
    summary: 'report one file or folder that runs on a server, and every change of it',
    details: PATH_DETAILS,
    args: [ENVIRONMENT],
    flags: { ...ONE_PATH_FLAGS, ...FOLDER_FLAGS, ...WATCH_FLAGS, every: every(PATH_SECONDS) },
    needs: 'org',
    operations: ['reportPaths', 'getEnvironment'],
    is_recorded: true,
    examples: ['watch path production --name backend --path /srv/backend'],
    run: ({ args, flags, context }) =>
      watchServer(args.environment, flags, context, watchPaths(readOnePath(flags, context), flags, context)),
  }),
  defineCommand({
    words: ['watch', 'paths'],
    summary: 'report the files and folders that a YAML file names, and every change of them',
    details: PATH_DETAILS,
    args: [ENVIRONMENT],
    flags: { ...PATHS_FILE_FLAGS, ...FOLDER_FLAGS, ...WATCH_FLAGS, every: every(PATH_SECONDS) },
    needs: 'org',
    operations: ['reportPaths', 'getEnvironment'],
    is_recorded: true,
    examples: ['watch paths production --paths-file paths.yml'],
    run: async ({ args, flags, context }) => {
      const watched = await readPathsFile(flags['paths-file'], context)
      return watchServer(args.environment, flags, context, watchPaths(watched, flags, context))
    },
  }),
  defineCommand({
    words: ['watch', 'server'],
    summary: 'report files and folders, and every change of them; the older form',
    args: [ENVIRONMENT],
    flags: { ...SERVER_FLAGS, ...FOLDER_FLAGS, ...WATCH_FLAGS, every: every(PATH_SECONDS) },
    needs: 'org',
    operations: ['reportPaths', 'getEnvironment'],
    is_recorded: true,
    is_hidden: true,
    examples: [],
    run: ({ args, flags, context }) =>
      watchServer(
        args.environment,
        flags,
        context,
        watchPaths(readServerPaths(flags, context), flags, context),
      ),
  }),
]

const watchServer = (environment = '', flags: WatchValues, context: Context, look: Look) =>
  watch({ environment, type: 'server' }, flags, context, look)

async function watch(
  target: Target,
  flags: WatchValues,
  context: Context,
  look: (is_due: boolean) => Promise<Observation>,
): Promise<undefined> {
  await pollChanges({
    look,
    interval_ms: flags.every * 1000,
    ...(await beginWatch(target, flags, context)),
  })
  return undefined
}
