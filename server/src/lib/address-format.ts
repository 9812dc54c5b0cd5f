// Validates addresses in input. Pages, mails and reports show them, so a scheme that a browser would execute or open
// with another program is rejected on input, wherever possible by a list of allowed schemes.
import { parseUrl } from './url.ts'

/** The schemes that git, Subversion and their helpers can fetch from. */
const REPOSITORY_SCHEMES: ReadonlySet<string> = new Set([
  ...[
    'http',
    'https',
    'ssh',
    'git',
    'file',
    'ftp',
    'ftps',
    'rsync',
    'svn',
    'svn+ssh',
    'svn+http',
    'svn+https',
  ],
  ...[
    'git+ssh',
    'ssh+git',
    'git+http',
    'git+https',
    'git+file',
    'codecommit',
    'persistent-https',
    'hg',
    'p4',
  ],
])
const FILE_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'file'])
const SCRIPT_SCHEMES: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data', 'blob'])

/** `uri`: a web address without characters that could break out of an HTML attribute. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/[\s<>"\\]/.test(text) && parseUrl(text) !== undefined
}

/** `repository-address`: a git remote. `git@host:path`, `host.example:path` and folders have no scheme. */
export function isRepositoryAddress(text: string): boolean {
  const scheme = parseScheme(text)
  return scheme === undefined || scheme.includes('.') || REPOSITORY_SCHEMES.has(scheme)
}

/** `loose-address`: clients also send a file, an image name or a word in place of an address. */
export function isLooseAddress(text: string): boolean {
  const scheme = parseScheme(text)
  if (scheme === undefined) return true
  const hasHost = /^[^:]*:\/\//.test(stripBlanks(text))
  return hasHost ? FILE_SCHEMES.has(scheme) : !SCRIPT_SCHEMES.has(scheme)
}

/** A single letter is a drive and not a scheme. */
function parseScheme(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(stripBlanks(text))?.[1]?.toLowerCase()
}

/** Browsers ignore whitespace and control characters before and within a scheme. */
function stripBlanks(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]/gu, '')
}
