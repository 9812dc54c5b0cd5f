// Who can use each route outside the list of operations: health, documentation, sign-in and SCIM. Written by hand,
// like the table in roles.ts.

export type Who =
  /** No credential is needed, and sending one changes nothing. */
  | 'anyone'
  /** Only connections from a loopback address; all others get 404. */
  | 'this machine'
  | 'a session'
  | 'a session with its CSRF token'
  /** Anyone with a mailed link or invitation that is still valid. */
  | 'a mailed token'
  /** Only the person who requested the mail, signed in. */
  | 'a mailed token in a session with its CSRF token'
  /** Anyone returning from the identity provider with a valid response. */
  | 'an answer of the provider'
  | 'a SCIM token of the org'

export const OTHER_ROUTES: Record<string, Who> = {
  'GET /': 'anyone',
  'GET /healthz': 'anyone',
  'GET /ready': 'anyone',
  'GET /metrics': 'this machine',
  'GET /.well-known/security.txt': 'anyone',
  'GET /.well-known/security-policy': 'anyone',
  'GET /api/v2/openapi.json': 'anyone',
  'GET /api/v2/doc': 'anyone',
  'GET /api/v2/doc/': 'anyone',
  'GET /api/v2/doc/{file}': 'anyone',

  'GET /sign-in': 'anyone',
  'GET /auth/providers': 'anyone',
  'GET /auth/style.css': 'anyone',
  'GET /auth/link': 'anyone',
  'POST /auth/link': 'anyone',
  'POST /auth/link/redeem': 'a mailed token',
  'GET /auth/invitation': 'anyone',
  'POST /auth/invitation/redeem': 'a mailed token',
  'GET /auth/address': 'anyone',
  'GET /auth/mail/stop': 'a mailed token',
  'POST /auth/mail/stop': 'a mailed token',
  'POST /auth/mail/allow': 'a mailed token',
  'POST /auth/address/prove': 'a mailed token in a session with its CSRF token',
  'GET /auth/sso/{provider}': 'anyone',
  'GET /auth/sso/{provider}/callback': 'an answer of the provider',
  'GET /auth/session': 'a session',
  'POST /auth/sign-out': 'a session with its CSRF token',

  'GET /scim/v2/{org}/Users': 'a SCIM token of the org',
  'POST /scim/v2/{org}/Users': 'a SCIM token of the org',
  'GET /scim/v2/{org}/Users/{id}': 'a SCIM token of the org',
  'PUT /scim/v2/{org}/Users/{id}': 'a SCIM token of the org',
  'PATCH /scim/v2/{org}/Users/{id}': 'a SCIM token of the org',
  'DELETE /scim/v2/{org}/Users/{id}': 'a SCIM token of the org',
  'GET /scim/v2/{org}/Groups': 'a SCIM token of the org',
  'POST /scim/v2/{org}/Groups': 'a SCIM token of the org',
  'GET /scim/v2/{org}/Groups/{id}': 'a SCIM token of the org',
  'PUT /scim/v2/{org}/Groups/{id}': 'a SCIM token of the org',
  'PATCH /scim/v2/{org}/Groups/{id}': 'a SCIM token of the org',
  'DELETE /scim/v2/{org}/Groups/{id}': 'a SCIM token of the org',
  'GET /scim/v2/{org}/ServiceProviderConfig': 'a SCIM token of the org',
  'GET /scim/v2/{org}/ResourceTypes': 'a SCIM token of the org',
  'GET /scim/v2/{org}/ResourceTypes/{id}': 'a SCIM token of the org',
  'GET /scim/v2/{org}/Schemas': 'a SCIM token of the org',
  'GET /scim/v2/{org}/Schemas/{id}': 'a SCIM token of the org',
}
