// Which texts are stored as addresses. Pages, mails and reports show them, so a scheme that a browser would run or hand to
// another program is refused where it comes in: by a list of what is allowed, never by one of what is not.
import { parseUrl } from './url.ts'

/** What git, Subversion and their helpers fetch from. */
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

/** `uri`: an address of the web, and nothing that would end an attribute of a page. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && !/[\s<>"\\]/.test(text) && parseUrl(text) !== undefined
}

/** `repository-address`: what git has. `git@host:path`, `host.example:path` and folders have no scheme. */
export function isRepositoryAddress(text: string): boolean {
  const scheme = parseScheme(text)
  return scheme === undefined || scheme.includes('.') || REPOSITORY_SCHEMES.has(scheme)
}

/** `loose-address`: a file, the name of an image or a word may stand where an address is meant. */
export function isLooseAddress(text: string): boolean {
  const scheme = parseScheme(text)
  if (scheme === undefined) return true
  const hasHost = /^[^:]*:\/\//.test(stripBlanks(text))
  return hasHost ? FILE_SCHEMES.has(scheme) : !SCRIPT_SCHEMES.has(scheme)
}

/** A single letter is the drive of a folder. */
function parseScheme(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):/i.exec(stripBlanks(text))?.[1]?.toLowerCase()
}

/** They pass over blanks and control characters in front of and within a scheme. */
function stripBlanks(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]/gu, '')
}
