// An environment in which every setting has a value other than its default.

export const SECRET = 's'.repeat(32)

export const OTHER_PROVIDER = {
  id: 'other',
  name: 'Other',
  issuer: 'https://other.example/tenant',
  client_id: 'other-id',
  client_secret: undefined,
  mail_domains: ['other.example'],
  trusted_mail_domains: ['other.example'],
  role_claim: 'groups',
  role_map: { devs: { role: 'member', org: 'acme' } },
}

const WITNESS_KEY = 'auditor.example+1cf055ed+BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g'
export const LOG_POLICY = `witness auditor ${WITNESS_KEY} https://witness.example/w1\nquorum auditor\n`

export const AUDIT_SINK = {
  name: 'collector',
  kind: 'otlp',
  url: 'https://otel.example:4318',
  format: 'ocsf',
  headers: { authorization: 'Bearer of-the-collector' },
}

export const EVERY_SETTING = {
  PORT: '0',
  WAYBILL_METRICS_PORT: '9464',
  HOST: '0.0.0.0',
  WAYBILL_TLS_CERT_FILE: '/etc/waybill/tls.crt',
  WAYBILL_TLS_KEY_FILE: '/etc/waybill/tls.key',
  WAYBILL_METRICS_TOKEN: 'a-token-of-the-scraper',
  DATABASE_URL: 'postgresql://u:p@db/waybill',
  DATABASE_DIRECT_URL: 'postgresql://u:p@db-direct/waybill',
  DATABASE_OWNER_URL: 'postgresql://o:p@db-direct/waybill',
  DATABASE_REPLICA_URL: 'postgresql://u:p@db-replica/waybill',
  WAYBILL_DATABASE_POOL: '4',
  WAYBILL_STATEMENT_TIMEOUT: '20',
  WAYBILL_DATA_DIR: '/var/lib/waybill',
  WAYBILL_BASE_URL: 'https://waybill.example//',
  WAYBILL_REGION: 'eu',
  WAYBILL_ROLE: 'work',
  WAYBILL_DRAIN_SECONDS: '15',
  WAYBILL_DIRECTORIES: 'trusted',
  WAYBILL_ORG_CREATION: 'admins',
  WAYBILL_ORG_REQUESTS_PER_SECOND: '50',
  WAYBILL_ORG_EVIDENCE_BYTES: 'off',
  WAYBILL_ORG_JQ_SECONDS_PER_HOUR: '600',
  WAYBILL_ORG: 'acme.corp-1',
  WAYBILL_RATE_LIMIT: 'off',
  WAYBILL_RATE_LIMIT_ANONYMOUS: '1/s',
  WAYBILL_RATE_LIMIT_SIGN_IN: '2/m',
  WAYBILL_RATE_LIMIT_EXCHANGE: '',
  WAYBILL_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1',
  WAYBILL_LOG_LEVEL: 'silent',
  WAYBILL_SECRET_KEY: SECRET,
  WAYBILL_SECURITY_CONTACT: 'security@acme.example, https://acme.example/report',
  WAYBILL_EVIDENCE_URL: 's3://bucket/prefix?endpoint=http://minio:9000',
  AWS_ACCESS_KEY_ID: 'key-id',
  AWS_SECRET_ACCESS_KEY: 'key-secret',
  WAYBILL_LOG_POLICY: LOG_POLICY,
  WAYBILL_AUDIT_SINKS: JSON.stringify([AUDIT_SINK]),
  WAYBILL_SMTP_URL: 'smtps://mail.example',
  WAYBILL_MAIL_FROM: 'waybill@acme.example',
  WAYBILL_EGRESS_ALLOW: '10.0.0.0/8, hooks.internal,,',
  WAYBILL_DNS_SERVER: '10.0.0.53',
  WAYBILL_RETRY_SCHEDULE: '0, 1,2',
  WAYBILL_KEY_EXPIRY_SCAN_SECONDS: '1',
  WAYBILL_OIDC_ISSUER: 'https://login.example',
  WAYBILL_OIDC_CLIENT_ID: 'id',
  WAYBILL_OIDC_CLIENT_SECRET: 'secret',
  WAYBILL_OIDC_NAME: 'Acme',
  WAYBILL_OIDC_PROVIDERS: JSON.stringify([
    { ...OTHER_PROVIDER, mail_domains: ['Other.example'], role_map: { devs: 'member@acme' } },
  ]),
  WAYBILL_SESSION_IDLE: '30m',
  WAYBILL_SESSION_MAX: '1d',
  WAYBILL_SSO_REQUIRED: 'true',
  WAYBILL_BREAK_GLASS: 'ada, bob',
  WAYBILL_CI_ISSUERS: 'https://ci.example, http://127.0.0.1:9000',
  NODE_ENV: 'production',
}
