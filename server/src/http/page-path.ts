// Decides which paths are pages of the web app. All others get 404: a scanner that requests `/.env` or
// `/wp-login.php` must not conclude that it exists. Organization names are not public, so only the form of the path
// counts.
import { isFileName, isOwnSegment, ORG_NAME } from '../domain/names.ts'

const ORG = new RegExp(ORG_NAME)
/** The sections after the organization, as in web/src. */
export const SECTIONS: ReadonlySet<string> = new Set([
  ...['attestation-types', 'attestations', 'control-coverage', 'controls', 'environments', 'flows'],
  ...[
    'import-controls',
    ...['new-attestation-type', 'new-control', 'new-environment', 'new-flow', 'new-policy'],
    'policies',
    'profile',
    'proof',
    'repos',
    'running',
    'search',
    'settings',
  ],
  'trends',
  'waiting-decisions',
])

/** `org` is decoded; `rest` follows it. Below a section, names may contain dots. */
export function isPage(org: string, rest = ''): boolean {
  if (!ORG.test(org) || isOwnSegment(org)) return false
  const section = rest.split('/', 1)[0] ?? ''
  if (SECTIONS.has(section)) return true
  return !isFileName(org) && !rest.includes('.')
}
