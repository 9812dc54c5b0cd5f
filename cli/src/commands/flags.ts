// Flags and values that several commands share.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CommitInfo, REDACTABLE, readCommit } from '../git/read-commit.ts'
import type { Context } from '../program/context.ts'
import { list, number, pairs, requiredText, text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'

export const flow = requiredText('the flow', { placeholder: '<flow>', in_repository_file: true })
export const optionalFlow = text('only this flow', { placeholder: '<flow>' })

export const PAGE_FLAGS = {
  page: number('which page', { min: 1 }),
  'page-limit': number('how many on a page', { min: 1, max: 500, short: 'n' }),
} as const

export const COMMIT_FLAGS = {
  commit: text('the git commit: a hash, a branch, HEAD', {
    placeholder: '<commit>',
    short: 'g',
    from_ci: 'commit',
  }),
  'repo-root': text('the folder of the git repository', { placeholder: '<folder>' }),
  'redact-commit-info': list(`do not store these parts of the commit: ${REDACTABLE.join(', ')}`, {
    placeholder: '<part>',
  }),
} as const

export const REPOSITORY_FLAGS = {
  repository: text('the name of the repository', { placeholder: '<owner/name>', from_ci: 'repository' }),
  'repo-id': text('the permanent id of the repository', { placeholder: '<id>', from_ci: 'repository_id' }),
  'repo-url': text('the address of the repository', { placeholder: '<url>', from_ci: 'repository_url' }),
  'repo-provider': text('who hosts the repository', {
    placeholder: '<host>',
    from_ci: 'repository_provider',
  }),
} as const

export const LINK_FLAGS = {
  'external-url': pairs('a link to something elsewhere', { placeholder: '<label=url>' }),
  'external-fingerprint': pairs('the SHA-256 of what a link names', { placeholder: '<label=sha256>' }),
} as const

interface CommitValues {
  commit: string | undefined
  'repo-root': string | undefined
  'redact-commit-info': readonly string[]
}

/** Undefined without a commit; only the hash in CI without a checkout. */
export async function readCommitInfo(
  { commit, 'repo-root': folder, 'redact-commit-info': redacted }: CommitValues,
  { system, ci }: Context,
): Promise<Partial<CommitInfo> | undefined> {
  if (commit === undefined) return undefined
  const unknown = redacted.find(part => !REDACTABLE.some(each => each === part))
  if (unknown !== undefined)
    failUsage(`--redact-commit-info: "${unknown}" is not one of ${REDACTABLE.join(', ')}`)
  const isOfJob = ci?.facts.commit?.value === commit
  const branch = redacted.includes('branch') ? undefined : ci?.facts.branch?.value
  const url = isOfJob ? ci?.facts.commit_url?.value : undefined
  const more = { ...(branch === undefined ? {} : { branch }), ...(url === undefined ? {} : { url }) }
  try {
    const found = await readCommit(resolve(system.cwd, folder ?? '.'), commit, redacted)
    return { ...found, ...more }
  } catch (error) {
    // The job may run without a checkout; the CI system knows the commit anyway.
    if (!isOfJob || folder !== undefined) throw error
    return { sha1: commit, ...more }
  }
}

interface RepositoryValues {
  repository: string | undefined
  'repo-id': string | undefined
  'repo-url': string | undefined
  'repo-provider': string | undefined
}

/** All or nothing: the service would refuse an incomplete set. */
function buildRepositoryInfo(values: RepositoryValues) {
  const { repository: name, 'repo-id': id, 'repo-url': url, 'repo-provider': provider } = values
  if (name === undefined || id === undefined || url === undefined) return undefined
  return { name, id, url, ...(provider === undefined ? {} : { provider }) }
}

function buildLinks(values: {
  'external-url': Readonly<Record<string, string>>
  'external-fingerprint': Readonly<Record<string, string>>
}) {
  const fingerprints = values['external-fingerprint']
  for (const label of Object.keys(fingerprints))
    if (!Object.hasOwn(values['external-url'], label))
      failUsage(`--external-fingerprint: there is no --external-url with the label "${label}"`)
  const links = Object.entries(values['external-url']).map(([label, href]) => {
    const fingerprint = fingerprints[label]
    return [label, { href, ...(fingerprint === undefined ? {} : { fingerprint }) }]
  })
  return links.length === 0 ? undefined : Object.fromEntries(links)
}

/** The origin of a trail, an artifact or an attestation: repository, commit and build. */
export async function readProvenance(
  values: CommitValues & RepositoryValues & Parameters<typeof buildLinks>[0],
  context: Context,
) {
  return {
    git_commit_info: await readCommitInfo(values, context),
    repo_info: buildRepositoryInfo(values),
    external_urls: buildLinks(values),
  }
}

/** Reads a JSON file that a flag names. */
export function readJsonFile(path: string | undefined, flag: string, cwd: string): unknown {
  if (path === undefined) return undefined
  const content = readTextFile(path, flag, cwd)
  try {
    return JSON.parse(content)
  } catch (error) {
    failUsage(`--${flag}: ${path} is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}

export function readTextFile(path: string, flag: string, cwd: string): string {
  return readBytes(path, flag, cwd).toString('utf8')
}

export function readBytes(path: string, flag: string, cwd: string): Buffer {
  try {
    return readFileSync(resolve(cwd, path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    failUsage(`--${flag}: ${code === 'ENOENT' ? `${path} does not exist` : message}`)
  }
}
