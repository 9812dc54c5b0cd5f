// Reports which files and folders a server runs.
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ARTIFACT_TYPES, FINGERPRINT_FLAGS, fingerprintArtifact } from '../../artifacts/fingerprint.ts'
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import type { Exit } from '../../program/exit-codes.ts'
import { list, requiredList, requiredText, text } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import type { Observation } from '../../reporters/observation.ts'
import { readTextFile } from '../flags.ts'
import { CREATE_FLAGS, type CreateValues, createMissing, reportEnvironment } from './report.ts'

const ENVIRONMENT = argument('environment', 'the environment')

const FOLDER_FLAGS = {
  'artifact-type': text('how folders are fingerprinted: as they were attested; dir-v2 by default', {
    short: 't',
    placeholder: '<type>',
    choices: ARTIFACT_TYPES,
    in_repository_file: true,
  }),
} as const

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
      ...FOLDER_FLAGS,
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
      ...FOLDER_FLAGS,
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
      ...FOLDER_FLAGS,
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
  flags: CreateValues & { 'artifact-type': string | undefined },
  context: Context,
): Promise<Exit> {
  const target = { environment, type: 'server' } as const
  const method = flags['artifact-type'] === 'dir' ? 'dir' : 'dir-v2'
  const observation = await observePaths(watched, method, context)
  await createMissing(target, flags, context)
  return reportEnvironment(target, observation, context)
}

/**
 * A folder is reported by the fingerprint of the method, and with that of the other one for people. Only the first counts
 * as provenance, so the method must be the one with which the folder was attested.
 */
async function observePaths(
  watched: readonly Watched[],
  method: 'dir' | 'dir-v2',
  context: Context,
): Promise<Observation> {
  const observed_at = Math.floor(context.system.now_ms() / 1000)
  const elements: object[] = []
  for (const { name, path, exclude } of watched) {
    const values = { exclude, 'follow-root': false, 'from-build-metadata': undefined }
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
    const compute = (type: 'dir' | 'dir-v2' | undefined) =>
      fingerprintArtifact(path, { ...values, 'artifact-type': type }, context)
    const found = await compute(isFolder ? method : undefined)
    const alternates = isFolder ? [(await compute(method === 'dir' ? 'dir-v2' : 'dir')).fingerprint] : []
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
