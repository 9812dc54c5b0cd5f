// Name patterns of every resource, as JSON Schema wants them: unanchored engines need the ^ and $, and each
// pattern must compile with the `u` flag. Error messages quote them byte for byte.

export const FLOW_NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$'
export const TRAIL_NAME = FLOW_NAME
export const TRAIL_NAME_MAX = 255
export const CUSTOM_TYPE_NAME = FLOW_NAME
export const ENVIRONMENT_NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_]*$'
export const CONTROL_IDENTIFIER = '^[a-zA-Z0-9\\-._~]+$'
export const CONTROL_IDENTIFIER_MAX = 256
export const SERVICE_ACCOUNT_NAME = '^[a-zA-Z0-9\\-]+$'
export const SERVICE_ACCOUNT_NAME_MAX = 64
export const TAG_KEY = '^[a-zA-Z0-9][a-zA-Z0-9\\-_.~]*$'
export const ORG_NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\-_.]*$'
/** The first segments of our own addresses: an organization of that name would have no pages. */
export const RESERVED_ORG_NAMES: ReadonlySet<string> = new Set([
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
export const USER_NAME = '^[a-zA-Z0-9][a-zA-Z0-9\\-_.]*$'

// No dot in these two: clients write `artifact.attestation` to address a slot.
export const TEMPLATE_NAME = '^[a-zA-Z0-9\\-_]+$'
export const ATTESTATION_NAME = '^[a-zA-Z0-9\\-_,]+$'

export const FINGERPRINT = '^[a-f0-9]{64}$'
export const COMMIT = '^[a-f0-9]{40}$'
