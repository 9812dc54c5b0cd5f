// Which addresses are pages of the web app. Everything else is answered 404: a scanner that asks for `/.env` or
// `/wp-login.php` must not be told that it is there. What an organization is called is nobody's business, so this is
// decided by the form of the address alone.
import { isFileName, isOwnSegment, ORG_NAME } from '../domain/names.ts'

const ORG = new RegExp(ORG_NAME)
/** What may follow the organization, as web/src has it. */
export const SECTIONS: ReadonlySet<string> = new Set([
  ...['attestation-types', 'attestations', 'control-coverage', 'controls', 'environments', 'flows'],
  ...['import-controls', 'new-control', 'new-policy', 'policies', 'profile', 'repos', 'search', 'settings'],
  'waiting-decisions',
])

/** `org` is decoded, and `rest` is what follows it. Below a section, names with dots are names. */
export function isPage(org: string, rest = ''): boolean {
  if (!ORG.test(org) || isOwnSegment(org)) return false
  const section = rest.split('/', 1)[0] ?? ''
  if (SECTIONS.has(section)) return true
  return !isFileName(org) && !rest.includes('.')
}
