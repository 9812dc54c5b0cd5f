import { resolve } from 'node:path'
import { parsePolicy } from '@waybill/transparency-log'
import { describe, expect, it } from 'vitest'
import {
  AUDIT_SINK,
  EVERY_SETTING,
  LOG_POLICY,
  OTHER_PROVIDER,
  SECRET,
  TELEMETRY,
} from '../../test/every-setting.ts'
import { readConfig } from './config.ts'
import { SettingProblem } from './setting.ts'
import { SETTING_NAMES } from './table.ts'

/** Returns the one line that an operator sees. */
function readRefusal(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof SettingProblem) return error.message
    throw error
  }
  throw new Error('the settings were accepted')
}

const FIRST_PROVIDER = {
  id: 'sso',
  name: 'Acme',
  issuer: 'https://login.example',
  client_id: 'id',
  client_secret: 'secret',
  mail_domains: [],
  trusted_mail_domains: [],
  role_claim: undefined,
  role_map: {},
}

describe('defaults', () => {
  const DEFAULTS = {
    port: 8001,
    metrics_port: undefined,
    metrics_token: undefined,
    tls: undefined,
    host: '127.0.0.1',
    database_url: undefined,
    database_direct_url: undefined,
    database_owner_url: undefined,
    database_replica_url: undefined,
    database_pool: 16,
    statement_ms: 9_000,
    data_dir: resolve('./data'),
    base_url: undefined,
    region: undefined,
    role: 'all',
    drain_ms: 0,
    first_org: 'demo-org',
    unread: { per_client_bytes: 64 * 1024 * 1024, in_all_bytes: 256 * 1024 * 1024 },
    min_bytes_per_s: 16 * 1024,
    rate_limits: Object.fromEntries(
      ['keys', 'anonymous', 'sign_in', 'exchange'].map(traffic => [
        traffic,
        { requests: 200, per_seconds: 1 },
      ]),
    ),
    trusted_proxies: [],
    org_creation: 'anyone',
    org_limit: { orgs_per_person: 5, org_openers: [] },
    quotas: { requests_per_second: null, evidence_bytes: null, jq_seconds_per_hour: null },
    log_level: 'info',
    secret_key: undefined,
    security_contacts: [],
    evidence_url: undefined,
    s3_credentials: { access_key_id: undefined, secret_access_key: undefined },
    log_policy: undefined,
    audit_sinks: [],
    telemetry: undefined,
    smtp_url: undefined,
    mail_from: undefined,
    mails_per_address: 50,
    egress_allow: [],
    dns_server: undefined,
    retry_schedule_s: [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000],
    key_expiry_scan_s: 3600,
    directories: 'proved',
    oidc_providers: [],
    vouching_domains: [],
    session_limits: { idle_ms: 12 * 3_600_000, max_ms: 7 * 24 * 3_600_000 },
    sso_required: false,
    break_glass: [],
    ci_issuers: ['https://token.actions.githubusercontent.com', 'https://gitlab.com'],
    production: false,
  }

  it('apply when nothing is set', () => {
    expect(readConfig({})).toEqual(DEFAULTS)
  })

  it('drain for 5 seconds in Kubernetes, unless the setting says otherwise', () => {
    const inKubernetes = { KUBERNETES_SERVICE_HOST: '10.0.0.1' }
    expect(readConfig(inKubernetes).drain_ms).toBe(5_000)
    expect(readConfig({ ...inKubernetes, WAYBILL_DRAIN_SECONDS: '0' }).drain_ms).toBe(0)
  })

  it('apply when everything is set to the empty string', () => {
    const empty = Object.fromEntries(SETTING_NAMES.map(name => [name, '']))
    expect(readConfig(empty)).toEqual(DEFAULTS)
  })

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true)
  })
})

describe('values', () => {
  it('are read from their variables', () => {
    const config = readConfig(EVERY_SETTING)
    expect(config).toEqual({
      port: 0,
      metrics_port: 9464,
      metrics_token: 'a-token-of-the-scraper',
      tls: { cert_file: '/etc/waybill/tls.crt', key_file: '/etc/waybill/tls.key' },
      host: '0.0.0.0',
      database_url: 'postgresql://u:p@db/waybill',
      database_direct_url: 'postgresql://u:p@db-direct/waybill',
      database_owner_url: 'postgresql://o:p@db-direct/waybill',
      database_replica_url: 'postgresql://u:p@db-replica/waybill',
      database_pool: 4,
      statement_ms: 20_000,
      data_dir: '/var/lib/waybill',
      base_url: 'https://waybill.example',
      region: 'eu',
      role: 'work',
      drain_ms: 15_000,
      first_org: 'acme.corp-1',
      unread: { per_client_bytes: 2_097_152, in_all_bytes: 4_194_304 },
      min_bytes_per_s: 0,
      rate_limits: {
        keys: undefined,
        anonymous: { requests: 1, per_seconds: 1 },
        sign_in: { requests: 2, per_seconds: 60 },
        exchange: undefined,
      },
      trusted_proxies: [
        { bytes: [10, 0, 0, 0], prefix_bits: 8 },
        { bytes: [192, 0, 2, 1], prefix_bits: 32 },
      ],
      org_creation: 'admins',
      org_limit: { orgs_per_person: 20, org_openers: ['ada', 'bob'] },
      quotas: { requests_per_second: 50, evidence_bytes: null, jq_seconds_per_hour: 600 },
      log_level: 'silent',
      secret_key: SECRET,
      security_contacts: ['mailto:security@acme.example', 'https://acme.example/report'],
      evidence_url: 's3://bucket/prefix?endpoint=http://minio:9000',
      s3_credentials: { access_key_id: 'key-id', secret_access_key: 'key-secret' },
      log_policy: parsePolicy(LOG_POLICY),
      audit_sinks: [AUDIT_SINK],
      telemetry: TELEMETRY,
      smtp_url: 'smtps://mail.example',
      mail_from: 'waybill@acme.example',
      mails_per_address: null,
      egress_allow: ['10.0.0.0/8', 'hooks.internal'],
      dns_server: '10.0.0.53',
      retry_schedule_s: [0, 1, 2],
      key_expiry_scan_s: 1,
      directories: 'trusted',
      oidc_providers: [FIRST_PROVIDER, OTHER_PROVIDER],
      vouching_domains: ['other.example'],
      session_limits: { idle_ms: 1_800_000, max_ms: 86_400_000 },
      sso_required: true,
      break_glass: ['ada', 'bob'],
      ci_issuers: ['https://ci.example', 'http://127.0.0.1:9000'],
      production: true,
    })
  })

  it.each([
    ['1/s', { requests: 1, per_seconds: 1 }],
    ['600/m', { requests: 600, per_seconds: 60 }],
    ['9000/h', { requests: 9000, per_seconds: 3600 }],
  ])('of the rate limit: %s', (value, rate_limit) => {
    const read = (environment: Record<string, string>) => readConfig(environment).rate_limits
    expect(read({ WAYBILL_RATE_LIMIT: value }).keys).toEqual(rate_limit)
    expect(read({ WAYBILL_RATE_LIMIT: value }).sign_in).toEqual(rate_limit)
    expect(read({ WAYBILL_RATE_LIMIT: value, WAYBILL_RATE_LIMIT_SIGN_IN: 'off' }).sign_in).toBeUndefined()
    expect(read({ WAYBILL_RATE_LIMIT: 'off', WAYBILL_RATE_LIMIT_SIGN_IN: value }).sign_in).toEqual(rate_limit)
  })
})

describe('the hosts that messages may reach', () => {
  it.each([
    '10.0.0.0/8',
    'fd00::/8',
    '10.0.0.7',
    'fd00::7',
    '[fd00::7]',
    'hooks',
    'Hooks.Internal',
    '*.internal',
  ])('may be %s', entry => expect(readConfig({ WAYBILL_EGRESS_ALLOW: entry }).egress_allow).toEqual([entry]))

  it.each(['10.0.0.53', '10.0.0.53:5353', 'fd00::53', '[fd00::53]', '[fd00::53]:5353'])(
    'is asked of %s',
    server => expect(readConfig({ WAYBILL_DNS_SERVER: server }).dns_server).toBe(server),
  )
})

describe('refused', () => {
  it('an unknown variable, by name', () => {
    expect(readRefusal({ WAYBILL_RATE_LIMITS: '1/s' })).toBe(
      'Unknown setting WAYBILL_RATE_LIMITS; docs/operate/settings.md lists the known ones',
    )
    expect(readRefusal({ WAYBILL_: '' })).toContain('WAYBILL_;')
  })

  it('single sign-on that is required without a provider', () => {
    expect(readRefusal({ WAYBILL_SSO_REQUIRED: 'true' })).toBe(
      'WAYBILL_SSO_REQUIRED needs an identity provider, such as WAYBILL_OIDC_ISSUER',
    )
    expect(readRefusal({ WAYBILL_SSO_REQUIRED: 'yes' })).toBe(
      'WAYBILL_SSO_REQUIRED must be one of false, true',
    )
  })

  it('no variable of other programs', () => {
    expect(readConfig({ PATH: '/bin', waybill_port: 'x', XWAYBILL_PORT: 'x' }).port).toBe(8001)
  })

  it.each([
    ['PORT', ['65536', '-1', '80a', '8.5', '0x50', ' '], 'must be a whole number from 0 to 65535'],
    [
      'DATABASE_URL',
      ['mysql://db/waybill', 'db', 'postgres'],
      'must begin with postgres:// or postgresql://',
    ],
    [
      'DATABASE_DIRECT_URL',
      ['mysql://db/waybill', 'db', 'postgres'],
      'must begin with postgres:// or postgresql://',
    ],
    ['WAYBILL_BASE_URL', ['waybill.example', 'ftp://x', 'https://'], 'must be an http or https address'],
    ['WAYBILL_DRAIN_SECONDS', ['-1', '3601', '5s', '1.5'], 'must be a whole number from 0 to 3600'],
    ['WAYBILL_ROLE', ['server', 'ALL'], 'must be one of all, serve, work'],
    ['WAYBILL_DIRECTORIES', ['off', 'TRUSTED'], 'must be one of proved, trusted'],
    [
      'WAYBILL_ORG_EVIDENCE_BYTES',
      ['0', '10GB', '-1', '1.5', 'none'],
      'must be a whole number from 1, or be off',
    ],
    ['WAYBILL_ORG_CREATION', ['everyone', 'Admins'], 'must be one of anyone, admins, nobody'],
    ['WAYBILL_ORG', ['my org', '-org', 'org/1'], 'must be letters, digits, hyphens, dots or underscores'],
    [
      'WAYBILL_RATE_LIMIT',
      ['200', '0/s', '-1/s', '200/d', '1.5/s', 'OFF', '9999999999/s'],
      'must look like 200/s, 600/m or 9000/h, or be off',
    ],
    [
      'WAYBILL_UNREAD_BYTES',
      ['1048575', '1MiB', '-1'],
      'must be a whole number from 1048576 to 9007199254740991',
    ],
    [
      'WAYBILL_RATE_LIMIT_EXCHANGE',
      ['200', 'as WAYBILL_RATE_LIMIT'],
      'must look like 200/s, 600/m or 9000/h, or be off',
    ],
    [
      'WAYBILL_TRUSTED_PROXIES',
      ['proxy.internal', '10.0.0.0/33', '10.0.0.1,10.1', '0.0.0.0/0', '::/0', '*', 'fe80::1%eth0'],
      'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
    ],
    [
      'WAYBILL_SESSION_IDLE',
      ['30', '0m', '12 h', '1.5h', '367d', '7D', 'off'],
      'must look like 30m, 12h or 7d, and be at most a year',
    ],
    ['WAYBILL_LOG_LEVEL', ['loud', 'INFO'], 'must be one of info, fatal, error, warn, debug, trace, silent'],
    ['WAYBILL_SECRET_KEY', ['s'.repeat(31)], 'must have 32 characters or more'],
    [
      'WAYBILL_METRICS_TOKEN',
      ['t'.repeat(15), 't'.repeat(1025), `${'t'.repeat(16)} x`, `${'t'.repeat(16)}ü`],
      'must have 16 to 1024 visible ASCII characters without spaces',
    ],
    [
      'WAYBILL_SECURITY_CONTACT',
      ['us', 'http://acme.example', 'javascript:alert(1)', 'a@b.example\nExpires: never', 'tel:123'],
      'must be mail addresses or https addresses, separated by commas',
    ],
    ['WAYBILL_EVIDENCE_URL', ['/data', 'https://bucket'], 'must begin with file:// or s3://'],
    [
      'WAYBILL_CI_ISSUERS',
      [
        ',',
        'ci.example',
        'http://ci.example',
        'https://u@ci.example',
        'https://ci.example?x',
        'ftp://127.0.0.1',
      ],
      'must be https addresses separated by commas, or be off',
    ],
    [
      'WAYBILL_EGRESS_ALLOW',
      ['10.0.0.0/33', '10.0.0.0/8,10.1', 'https://hooks.internal', 'hooks internal', '*', 'fe80::1%eth0'],
      'must be ranges such as 10.0.0.0/8, addresses or host names, separated by commas',
    ],
    [
      'WAYBILL_DNS_SERVER',
      [
        'dns.example',
        '10.0.0.0/8',
        '10.0.0.53:0',
        '10.0.0.53:65536',
        '10.0.0.53:',
        '[10.0.0',
        '[::1]:x',
        '1.1',
      ],
      'must be an address, with or without a port, such as 10.0.0.53:5353',
    ],
    ['WAYBILL_SMTP_URL', ['mail.example:25', 'http://mail'], 'must begin with smtp:// or smtps://'],
    [
      'WAYBILL_RETRY_SCHEDULE',
      ['5s', '1,,2', '-1', '1.5', '12345678'],
      'must be whole seconds separated by commas, such as 0,5,300',
    ],
    ['WAYBILL_KEY_EXPIRY_SCAN_SECONDS', ['0', '86401', 'daily'], 'must be a whole number from 1 to 86400'],
    ['WAYBILL_OIDC_ISSUER', ['login.example', 'ldap://x'], 'must begin with https:// or http://'],
  ])('%s of %j', (name, values, sentence) => {
    for (const value of values) expect(readRefusal({ [name]: value })).toBe(`${name} ${sentence}`)
  })

  it.each([
    [{ WAYBILL_OIDC_ISSUER: 'https://x' }, 'WAYBILL_OIDC_CLIENT_ID is needed with WAYBILL_OIDC_ISSUER'],
    [{ WAYBILL_OIDC_CLIENT_ID: 'x' }, 'WAYBILL_OIDC_ISSUER is needed with WAYBILL_OIDC_CLIENT_ID'],
    [
      { WAYBILL_OIDC_ISSUER: 'http://x', WAYBILL_OIDC_CLIENT_ID: 'x' },
      'WAYBILL_OIDC_ISSUER must be https, or http of this host',
    ],
    [{ WAYBILL_SMTP_URL: 'smtp://mail' }, 'WAYBILL_MAIL_FROM is needed with WAYBILL_SMTP_URL'],
    [{ WAYBILL_TLS_CERT_FILE: '/tls.crt' }, 'WAYBILL_TLS_CERT_FILE and WAYBILL_TLS_KEY_FILE need each other'],
  ])('an incomplete combination: %j', (settings, sentence) => {
    expect(readRefusal(settings)).toBe(sentence)
  })

  it('and the message never shows the value', () => {
    expect(readRefusal({ WAYBILL_SECRET_KEY: 'hunter2' })).not.toContain('hunter2')
    expect(readRefusal({ DATABASE_URL: 'mysql://u:hunter2@db' })).not.toContain('hunter2')
    expect(readRefusal({ WAYBILL_SMTP_URL: 'http://u:hunter2@mail' })).not.toContain('hunter2')
    expect(readRefusal({ WAYBILL_OIDC_PROVIDERS: '[{"client_secret":"hunter2' })).not.toContain('hunter2')
  })
})

describe('production', () => {
  const production = { NODE_ENV: 'production' }
  const external = { DATABASE_URL: 'postgres://db/waybill' }

  it('refuses to run without TLS checks', () => {
    const sentence = 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches TLS checks off; production refuses it'
    expect(readRefusal({ ...production, NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toBe(sentence)
    expect(readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }).production).toBe(false)
    expect(readConfig({ ...production, NODE_TLS_REJECT_UNAUTHORIZED: '1' }).production).toBe(true)
  })

  it('requires a secret key with an external database', () => {
    const sentence = 'WAYBILL_SECRET_KEY is needed with an external DATABASE_URL in production'
    expect(readRefusal({ ...production, ...external })).toBe(sentence)
    expect(readRefusal({ ...production, ...external, WAYBILL_SECRET_KEY: '' })).toBe(sentence)
    expect(readConfig({ ...production, ...external, WAYBILL_SECRET_KEY: SECRET }).secret_key).toBe(SECRET)
    expect(readConfig(production).production).toBe(true)
    expect(readConfig(external).production).toBe(false)
  })
})
