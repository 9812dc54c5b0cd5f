// Name patterns of every resource in JSON Schema form: patterns must be anchored with ^ and $ and compile with the
// `u` flag. Error messages quote them byte for byte.

const NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$'
export const FLOW_NAME = NAME
export const TRAIL_NAME = NAME
export const TRAIL_NAME_MAX = 255
export const CUSTOM_TYPE_NAME = NAME
export const ENVIRONMENT_NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_]*$'
export const CONTROL_IDENTIFIER = '^[a-zA-Z0-9\\-._~]+$'
export const CONTROL_IDENTIFIER_MAX = 256
export const SERVICE_ACCOUNT_NAME = '^[a-zA-Z0-9\\-]+$'
export const SERVICE_ACCOUNT_NAME_MAX = 64
export const TAG_KEY = '^[a-zA-Z0-9][a-zA-Z0-9\\-_.~]*$'
export const ORG_NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\-_.]*$'
/** First path segments of the service's own URLs: an organization with such a name would have no pages. */
const RESERVED_ORG_NAMES: ReadonlySet<string> = new Set([
  'api',
  'assets',
  'auth',
  'healthz',
  'invitations',
  'login',
  'metrics',
  'ready',
  'scim',
  'sign-in',
  'sign-out',
  'signin',
  'static',
  'user',
])
/** Well-known file names of web sites: scanners request them, and they are never a page. */
const FILE_NAME =
  /\.(7z|aspx?|bak|bat|cfg|cgi|conf|css|csv|db|dll|env|exe|gif|gz|html?|ico|ini|jpe?g|js|jsp|json|key|log|map|mjs|old|pem|php\d?|pl|png|rar|sh|sql|sqlite|svg|swp|tar|tgz|toml|txt|wasm|webmanifest|woff2?|xml|ya?ml|zip)$/

export function isReservedOrgName(name: string): boolean {
  return isOwnSegment(name.toLowerCase()) || isFileName(name)
}

export function isOwnSegment(segment: string): boolean {
  return RESERVED_ORG_NAMES.has(segment)
}

export function isFileName(name: string): boolean {
  return FILE_NAME.test(name.toLowerCase())
}

export const USER_NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\-_.]*$'

// No dot in these two: clients write `artifact.attestation` to address a slot.
export const TEMPLATE_NAME = '^[a-zA-Z0-9\\-_]+$'
export const ATTESTATION_NAME = '^[a-zA-Z0-9\\-_,]+$'

export const FINGERPRINT = '^[a-f0-9]{64}$'
export const COMMIT = '^[a-f0-9]{40}$'
