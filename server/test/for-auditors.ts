// Written by hand from the specification, like roles.ts: what auditors may read in addition to readers.

/** The operations that an auditor may call in addition to those of a reader. */
export const FOR_AUDITORS = [
  'GET /audit-events/{org}',
  'GET /audit-events/{org}/events/{event_id}',
  'GET /audit-events/{org}/export',
  'GET /audit-events/{org}/values',
  'GET /badge-tokens/{org}',
  'GET /invitations/{org}',
  'GET /mail-domains/{org}',
  'GET /membership-audit-log/{org}',
  'GET /membership-audit-log/{org}/csv',
  'GET /membership-audit-log/{org}/json',
  'GET /organizations/{org}/audit_package',
  'GET /organizations/{org}/export',
  'GET /organizations/{org}/usage',
  'GET /scim-tokens/{org}',
  'GET /service-accounts/{org}',
  'GET /service-accounts/{org}/{name}',
  'GET /service-accounts/{org}/{name}/api-keys',
  'GET /service-accounts/{org}/{name}/api-keys/{key_id}',
  'GET /trust-rules/{org}',
  'GET /trust-rules/{org}/{name}',
]
