// Reports which files and folders a server runs.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { FINGERPRINT_FLAGS, fingerprintArtifact } from '../../artifacts/fingerprint.ts'
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import type { Exit } from '../../program/exit-codes.ts'
import { list, requiredList, requiredText } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import type { Observation } from '../../reporters/observation.ts'
import { readTextFile } from '../flags.ts'
import { CREATE_FLAGS, type CreateValues, createMissing, reportEnvironment } from './report.ts'

const ENVIRONMENT = argument('environment', 'the environment')

interface Watched {
  name: string
  path: string
  exclude: readonly string[]
}

export const pathSnapshots = [
  defineCommand({
    words: ['snapshot', 'path'],
    summary: 'report one file or folder that runs on a server',
    args: [ENVIRONMENT],
    flags: {
      name: requiredText('how people call it', { placeholder: '<name>' }),
      path: requiredText('the file or folder', { placeholder: '<path>' }),
      exclude: FINGERPRINT_FLAGS.exclude,
      ...CREATE_FLAGS,
    },
    needs: 'org',
    operations: ['reportPaths'],
    is_recorded: true,
    examples: ['snapshot path production --name backend --path /srv/backend'],
    run: async ({ args, flags, context }) => {
      const { name, path, exclude } = flags
      const watched = [{ name, path: resolve(context.system.cwd, path), exclude }]
      return reportPaths(args.environment ?? '', watched, flags, context)
    },
  }),
  defineCommand({
    words: ['snapshot', 'paths'],
    summary: 'report the files and folders that a YAML file names',
    args: [ENVIRONMENT],
    flags: {
      'paths-file': requiredText('a YAML file: artifacts, each with path and exclude', {
        placeholder: '<file>',
      }),
      ...CREATE_FLAGS,
    },
    needs: 'org',
    operations: ['reportPaths'],
    is_recorded: true,
    examples: ['snapshot paths production --paths-file paths.yml'],
    run: async ({ args, flags, context }) => {
      const watched = await readPathsFile(flags['paths-file'], context)
      return reportPaths(args.environment ?? '', watched, flags, context)
    },
  }),
  defineCommand({
    words: ['snapshot', 'server'],
    summary: 'report files and folders; the older form',
    args: [ENVIRONMENT],
    flags: {
      paths: requiredList('the files and folders', { short: 'p', placeholder: '<path>' }),
      exclude: list('paths to leave out', { short: 'x', placeholder: '<pattern>' }),
      ...CREATE_FLAGS,
    },
    needs: 'org',
    operations: ['reportPaths'],
    is_recorded: true,
    is_hidden: true,
    examples: [],
    run: async ({ args, flags, context }) => {
      const watched = flags.paths.map(path => ({
        name: path,
        path: resolve(context.system.cwd, path),
        exclude: flags.exclude,
      }))
      return reportPaths(args.environment ?? '', watched, flags, context)
    },
  }),
]

async function reportPaths(
  environment: string,
  watched: readonly Watched[],
  flags: CreateValues,
  context: Context,
): Promise<Exit> {
  const target = { environment, type: 'server' } as const
  const observation = await observePaths(watched, context)
  await createMissing(target, flags, context)
  return reportEnvironment(target, observation, context)
}

/**
 * A folder is reported by its fingerprint without collisions, and with the one that other clients compute, so that either
 * matches the artifact that was attested.
 */
async function observePaths(watched: readonly Watched[], context: Context): Promise<Observation> {
  const observed_at = Math.floor(context.system.now_ms() / 1000)
  const elements: object[] = []
  for (const { name, path, exclude } of watched) {
    const values = { exclude, 'follow-root': false, 'from-build-metadata': undefined }
    const found = await fingerprintArtifact(path, { ...values, 'artifact-type': undefined }, context)
    const alternates =
      found.method === 'dir-v2'
        ? [(await fingerprintArtifact(path, { ...values, 'artifact-type': 'dir' }, context)).fingerprint]
        : []
    elements.push({
      digests: { [name]: found.fingerprint },
      ...(alternates.length === 0 ? {} : { alternate_digests: alternates }),
      creationTimestamp: getStart(path),
    })
  }
  return { elements, missing: [], observed_at, scope: watched.map(({ path }) => path).join(', ') }
}

/** When it was put there, as far as the file system knows. */
function getStart(path: string): number {
  return Math.floor(statSync(path).mtimeMs / 1000)
}

async function readPathsFile(file: string, { system }: Context): Promise<Watched[]> {
  const content = readTextFile(file, 'paths-file', system.cwd)
  const { parse } = await import('../../values/yaml.ts')
  const parsed = parse(content) as {
    version?: unknown
    artifacts?: Record<string, { path?: unknown; exclude?: unknown }>
  }
  if (typeof parsed?.artifacts !== 'object' || parsed.artifacts === null)
    failUsage(`--paths-file: ${file} has no "artifacts"`)
  return Object.entries(parsed.artifacts).map(([name, { path, exclude = [] }]) => {
    if (typeof path !== 'string') failUsage(`--paths-file: artifacts.${name}.path is missing in ${file}`)
    if (!Array.isArray(exclude) || !exclude.every(each => typeof each === 'string'))
      failUsage(`--paths-file: artifacts.${name}.exclude in ${file} is not a list of texts`)
    return { name, path: resolve(system.cwd, path), exclude }
  })
}
