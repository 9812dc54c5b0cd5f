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
import { stampPaths } from '../../reporters/path-stamp.ts'
import type { Look } from '../../reporters/poll.ts'
import { readTextFile } from '../flags.ts'
import { CREATE_FLAGS, type CreateValues, createMissing, reportEnvironment } from './report.ts'

const ENVIRONMENT = argument('environment', 'the environment')

export const FOLDER_FLAGS = {
  'artifact-type': text('how folders are fingerprinted: as they were attested; dir-v2 by default', {
    short: 't',
    placeholder: '<type>',
    choices: ARTIFACT_TYPES,
    in_repository_file: true,
  }),
} as const

export const ONE_PATH_FLAGS = {
  name: requiredText('how people call it', { placeholder: '<name>' }),
  path: requiredText('the file or folder', { placeholder: '<path>' }),
  exclude: FINGERPRINT_FLAGS.exclude,
} as const

export const PATHS_FILE_FLAGS = {
  'paths-file': requiredText('a YAML file: artifacts, each with path and exclude', {
    placeholder: '<file>',
  }),
} as const

export const SERVER_FLAGS = {
  paths: requiredList('the files and folders', { short: 'p', placeholder: '<path>' }),
  exclude: list('paths to leave out', { short: 'x', placeholder: '<pattern>' }),
} as const

interface Watched {
  name: string
  path: string
  exclude: readonly string[]
}

interface MethodValues {
  'artifact-type': string | undefined
}

export const pathSnapshots = [
  defineCommand({
    words: ['snapshot', 'path'],
    summary: 'report one file or folder that runs on a server',
    args: [ENVIRONMENT],
    flags: { ...ONE_PATH_FLAGS, ...FOLDER_FLAGS, ...CREATE_FLAGS },
    needs: 'org',
    operations: ['reportPaths'],
    is_recorded: true,
    examples: ['snapshot path production --name backend --path /srv/backend'],
    run: ({ args, flags, context }) =>
      reportPaths(args.environment ?? '', readOnePath(flags, context), flags, context),
  }),
  defineCommand({
    words: ['snapshot', 'paths'],
    summary: 'report the files and folders that a YAML file names',
    args: [ENVIRONMENT],
    flags: { ...PATHS_FILE_FLAGS, ...FOLDER_FLAGS, ...CREATE_FLAGS },
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
    flags: { ...SERVER_FLAGS, ...FOLDER_FLAGS, ...CREATE_FLAGS },
    needs: 'org',
    operations: ['reportPaths'],
    is_recorded: true,
    is_hidden: true,
    examples: [],
    run: ({ args, flags, context }) =>
      reportPaths(args.environment ?? '', readServerPaths(flags, context), flags, context),
  }),
]

export function readOnePath(
  { name, path, exclude }: { name: string; path: string; exclude: readonly string[] },
  { system }: Context,
): Watched[] {
  return [{ name, path: resolve(system.cwd, path), exclude }]
}

export function readServerPaths(
  { paths, exclude }: { paths: readonly string[]; exclude: readonly string[] },
  { system }: Context,
): Watched[] {
  return paths.map(path => ({ name: path, path: resolve(system.cwd, path), exclude }))
}

async function reportPaths(
  environment: string,
  watched: readonly Watched[],
  flags: CreateValues & MethodValues,
  context: Context,
): Promise<Exit> {
  const target = { environment, type: 'server' } as const
  const observation = await observePaths(watched, getMethod(flags), context)
  await createMissing(target, flags, context)
  return reportEnvironment(target, observation, context)
}

const getMethod = (flags: MethodValues): 'dir' | 'dir-v2' =>
  flags['artifact-type'] === 'dir' ? 'dir' : 'dir-v2'

/**
 * Reads the files only if something was written since the last time, and not while a write is going on,
 * unless a report is due. So a half-copied release is not reported.
 */
export function watchPaths(watched: readonly Watched[], flags: MethodValues, context: Context): Look {
  let seen: { observation: Observation; stamp: string } | undefined
  let latest = ''
  return async is_due => {
    const before = latest
    latest = await stampPaths(watched.map(({ path }) => path))
    const isSettling = latest !== before
    if (seen !== undefined && !is_due && (seen.stamp === latest || isSettling)) return seen.observation
    const stamp = latest
    seen = { observation: await observePaths(watched, getMethod(flags), context), stamp }
    return seen.observation
  }
}

/**
 * Reports a folder with the fingerprint of the chosen method, and shows people the other one too. Only the
 * first counts as provenance, so the method must match the one used to attest the folder.
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

/** Time of installation, as far as the file system knows. */
function getStart(path: string): number {
  return Math.floor(statSync(path).mtimeMs / 1000)
}

export async function readPathsFile(file: string, { system }: Context): Promise<Watched[]> {
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
