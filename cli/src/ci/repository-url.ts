// The address of a repository as people and CI systems write it: https, ssh, or `git@host:path`. Credentials in it are
// dropped, because the address is stored with the evidence.

export interface RepositoryUrl {
  /** The https address of its page. */
  url: string
  /** The path without the suffix `.git`, such as `acme/backend`. */
  name: string
  provider: string | undefined
  /** What stands between the address of the repository and that of a commit. */
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
  // Encoded again: a project of Azure DevOps may have spaces in its name.
  return { url: new URL(`https://${host}/${name}`).href, name, provider, commit_path }
}

function splitAddress(text: string): { host: string; path: string } | undefined {
  // `git@host:path`, the form of scp.
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/.exec(text)
  if (scp && !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { host: scp[1] ?? '', path: scp[2] ?? '' }
  try {
    const url = new URL(text)
    if (!['https:', 'http:', 'ssh:', 'git:'].includes(url.protocol)) return undefined
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
    return { host: isWeb ? url.host : url.hostname, path: decodeURI(url.pathname) }
  } catch {
    // Not an address: nothing is known about the repository.
    return undefined
  }
}
