// Parses repository addresses as people and CI systems write them: https, ssh, or `git@host:path`. Drops
// credentials, because the address is stored with the evidence.

export interface RepositoryUrl {
  /** The https address of the repository page. */
  url: string
  /** The path without the suffix `.git`, such as `acme/backend`. */
  name: string
  provider: string | undefined
  /** The path between a repository's address and a commit. */
  commit_path: string
}

const PROVIDERS: readonly (readonly [RegExp, string, string])[] = [
  [/(^|\.)github\./, 'github', '/commit/'],
  [/(^|\.)gitlab\./, 'gitlab', '/-/commit/'],
  [/(^|\.)bitbucket\.org$/, 'bitbucket', '/commits/'],
  [/(^|\.)(dev\.azure\.com|visualstudio\.com)$/, 'azure-devops', '/commit/'],
]

export function parseRepositoryUrl(text: string): RepositoryUrl | undefined {
  const { host, path } = splitAddress(text) ?? { host: '', path: '' }
  const name = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  if (host === '' || name === '') return undefined
  const [, provider, commit_path = '/commit/'] =
    PROVIDERS.find(([pattern]) => pattern.test(host.replace(/:\d+$/, ''))) ?? []
  // Re-encoded: the name of an Azure DevOps project may contain spaces.
  return { url: new URL(`https://${host}/${name}`).href, name, provider, commit_path }
}

function splitAddress(text: string): { host: string; path: string } | undefined {
  // `git@host:path`, the scp form.
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(text)
  if (scp && !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { host: scp[1] ?? '', path: scp[2] ?? '' }
  try {
    const url = new URL(text)
    if (!['https:', 'http:', 'ssh:', 'git:'].includes(url.protocol)) return undefined
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
    return { host: isWeb ? url.host : url.hostname, path: decodeURI(url.pathname) }
  } catch {
    // Not an address, so nothing is known about the repository.
    return undefined
  }
}
