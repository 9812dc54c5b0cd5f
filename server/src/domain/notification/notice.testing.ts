// Notices for tests: ordinary ones of every kind, hostile texts in every field, and arbitrary ones.
import fc from 'fast-check'
import type { Reason } from '../policy/decision.ts'
import type {
  EnvironmentEvent,
  EnvironmentNotice,
  ExpiringKey,
  FlowEvent,
  FlowNotice,
  KeyExpiryNotice,
  LogForkNotice,
  Notice,
  NoticeArtifact,
  SwitchedOffNotice,
  TestNotice,
  TokensStoppedNotice,
} from './notice.ts'

export const BASE_URL = 'https://waybill.example'
/** 2026-11-15 08:40:00 UTC. */
export const NOW = 1_794_732_000
export const DAY = 86_400
export const FINGERPRINT = 'ab12'.repeat(16)

export const REASON: Reason = {
  type: 'missing_attestation',
  description:
    "Artifact 'web:1.4' has no 'unit-tests' attestation of type 'junit' in trail 'release-7' of flow 'web' (rule 'attestation' of policy 'prod-rules' version 3)",
  policy_name: 'prod-rules',
  policy_version: 3,
  rule: 'attestation',
  artifact_name: 'web:1.4',
  artifact_fingerprint: FINGERPRINT,
  flow_name: 'web',
  trail_name: 'release-7',
  attestation_name: 'unit-tests',
  attestation_type: 'junit',
  for_control: null,
  expected: "a compliant 'unit-tests' attestation of type 'junit'",
  found: 'nothing',
  remedy:
    "Report a compliant 'unit-tests' attestation of type 'junit' on trail 'release-7' of flow 'web' for artifact 'web:1.4'",
}

export function makeArtifact(given: Partial<NoticeArtifact> = {}): NoticeArtifact {
  return {
    name: 'web:1.4',
    fingerprint: FINGERPRINT,
    change: 'running',
    compliant: false,
    instances: { was: 2, now: 2 },
    provenance: {
      flow_name: 'web',
      trail_name: 'release-7',
      artifact_state: 'INCOMPLETE',
      git_commit: 'c0ffee'.padEnd(40, '0'),
      commit_url: 'https://git.example/acme/web/commit/c0ffee',
      build_url: 'https://ci.example/acme/web/7',
    },
    reasons: [REASON],
    ...given,
  }
}

export const GREEN: Partial<NoticeArtifact> = { compliant: true, reasons: [] }

export function makeEnvironmentNotice(
  event_type: EnvironmentEvent,
  given: Partial<EnvironmentNotice> = {},
): EnvironmentNotice {
  const artifacts = given.artifacts ?? (event_type === 'COMPLIANT_ENV' ? [] : [makeArtifact()])
  return {
    about: 'environment',
    event_type,
    org: 'acme',
    environment: 'prod',
    notification: { number: 3, name: 'Red production' },
    happened_at: NOW + 0.25,
    actor: 'ci-robot',
    snapshot: { index: 12, compliant: event_type === 'COMPLIANT_ENV' },
    artifacts,
    artifacts_total: artifacts.length,
    ...given,
  }
}

export function makeFlowNotice(event_type: FlowEvent, given: Partial<FlowNotice> = {}): FlowNotice {
  const isApproval = event_type === 'APPROVAL' || event_type === 'RELEASE'
  return {
    about: 'flow',
    event_type,
    org: 'acme',
    flow: 'web',
    trail: isApproval ? null : 'release-7',
    notification: { number: 4, name: 'Evidence' },
    happened_at: NOW + 0.25,
    actor: 'ci-robot',
    artifact: event_type === 'STARTED_TRAIL' ? null : { name: 'web:1.4', fingerprint: FINGERPRINT },
    attestation:
      event_type === 'ATTESTATION'
        ? { id: '0196f1c2-7a3b-7c4d-8e5f-1a2b3c4d', name: 'unit-tests', type: 'junit', compliant: false }
        : null,
    approval: isApproval ? { number: 6, state: 'APPROVED' } : null,
    ...given,
  }
}

export function makeKey(given: Partial<ExpiringKey> = {}): ExpiringKey {
  return {
    owner: 'deployer',
    is_personal: false,
    description: 'for the pipeline',
    hint: 'wb_svc_AbCdEfGhIjKl',
    expires_at: NOW + 14 * DAY,
    last_used_at: NOW - 2 * DAY,
    notice: 'first',
    ...given,
  }
}

export function makeKeysNotice(keys: readonly ExpiringKey[]): KeyExpiryNotice {
  return { about: 'api_keys', event_type: 'API_KEY_EXPIRY', org: 'acme', happened_at: NOW, keys }
}

export const TEST: TestNotice = {
  about: 'test',
  event_type: 'TEST',
  org: 'acme',
  happened_at: NOW,
  asked_by: 'mara',
  notification: { number: 3, name: 'Red production' },
}

export const SWITCHED_OFF: SwitchedOffNotice = {
  about: 'target',
  event_type: 'TARGET_SWITCHED_OFF',
  org: 'acme',
  happened_at: NOW,
  notification: { number: 3, name: 'Red production' },
  target: { type: 'WEBHOOK', shown: 'https://hooks.example' },
  failing_since: NOW - 5 * DAY,
  error: 'The receiver answered 500',
}

export const FORK: LogForkNotice = {
  about: 'log',
  event_type: 'LOG_FORK',
  org: 'acme',
  happened_at: NOW,
  origin: 'waybill.example/log/0196f1c2/1',
  size: 940,
  witnesses: [
    { name: 'auditor', message: 'The witness has cosigned 943 leaves of this log, which now has only 940' },
  ],
}

export const TOKENS_STOPPED: TokensStoppedNotice = {
  about: 'scim_tokens',
  event_type: 'SCIM_TOKEN_STOPPED',
  org: 'acme',
  happened_at: NOW,
  owner: 'mara',
  has_left: true,
  tokens: [{ description: 'Company directory', hint: 'wb_scim_0aB1cD2eF3gH' }],
}

export const HOSTILE: Readonly<Record<string, string>> = {
  html: '<img src=x onerror="alert(1)"><script>alert(2)</script>',
  attribute: "\"><a href='javascript:alert(1)'>x</a>",
  quotes: `'"\`’`,
  entities: '&lt;b&gt; &amp; &#x3c;',
  formatting: '*bold* _slanted_ ~struck~ `code` ```block```',
  mentions: '<!channel> <!here|x> <@U012AB> @here @channel @all mail@here',
  links: '<https://evil.example|acme> https://evil.example [x](https://evil.example)',
  emoji: ':skull: :+1: a:b:c',
  lines: 'first\nsecond\r\n> quote\u2028third\u2029\tfourth\u0085fifth',
  controls: 'a\u0000b\u0007c\u001b[31md\u007fe\u009bf',
  direction: 'safe\u202egpj.exe\u2066x\u2069 \u200e\u200f',
  unseen: 'a\u200bb\u2060c\ufeffd\u00ade',
  half: 'x\ud800y\udc00z',
  script: 'javascript:alert(1)',
  path: '../../etc/passwd?x=1#y/%2e%2e',
  header: 'x\r\nBcc: eve@evil.example',
  long: '𝒳y&<'.repeat(1_250),
  empty: '',
}

/** Puts the same text into every field that comes from outside. */
export function makeHostileNotices(text: string): Notice[] {
  const provenance = {
    flow_name: text,
    trail_name: text,
    artifact_state: 'NON-COMPLIANT' as const,
    git_commit: text,
    commit_url: text,
    build_url: text,
  }
  const reason: Reason = {
    ...REASON,
    description: `Artifact '${text}' ${text}`,
    policy_name: text,
    artifact_name: text,
    flow_name: text,
    trail_name: text,
    attestation_name: text,
    found: text,
    remedy: text,
  }
  const bad = makeArtifact({ name: text, provenance, reasons: [reason, reason, reason, reason] })
  const outside = { org: text, environment: text, actor: text, notification: { number: 1, name: text } }
  const many = Array.from({ length: 12 }, () => bad)
  return [
    makeEnvironmentNotice('NON_COMPLIANT_ENV', { ...outside, artifacts: many, artifacts_total: 40 }),
    makeEnvironmentNotice('STARTED_ARTIFACT', {
      ...outside,
      artifacts: [{ ...bad, change: 'started-non-compliant' }],
    }),
    makeEnvironmentNotice('COMPLIANT_ENV', { ...outside, snapshot: null }),
    makeFlowNotice('ATTESTATION', {
      ...{ org: text, flow: text, trail: text, actor: text, notification: { number: 1, name: text } },
      artifact: { name: text, fingerprint: '' },
      attestation: { id: text, name: text, type: text, compliant: false },
    }),
    makeFlowNotice('APPROVAL', {
      ...{ org: text, flow: text, actor: text, notification: { number: 1, name: text } },
      artifact: { name: text, fingerprint: text },
      approval: { number: 1, state: text },
    }),
    makeKeysNotice([
      makeKey({ owner: text, description: text, hint: text }),
      makeKey({ owner: text, is_personal: true }),
    ]),
    { ...TEST, org: text, asked_by: text, notification: { number: 1, name: text } },
    { ...SWITCHED_OFF, org: text, target: { type: 'CHAT', shown: text }, error: text },
    { ...FORK, org: text, origin: text, witnesses: Array(30).fill({ name: text, message: text }) },
    { ...TOKENS_STOPPED, org: text, owner: text, tokens: Array(10).fill({ description: text, hint: text }) },
  ]
}

const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.values(HOSTILE)) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.constantFrom('<', '&', '\u0000', '"', '*', '𝒳', 'é', '\n'),
      maxLength: 5_000,
    }),
  },
)
const time = fc.integer({ min: 0, max: 4_000_000_000 })
const anyArtifact = fc
  .record({
    text: anyText,
    other: anyText,
    compliant: fc.constantFrom(true, false, null),
    change: fc.constantFrom(
      'started-unknown',
      'exited',
      'scaled',
      'became-compliant',
      'running',
      'allow-listed',
    ),
    is_known: fc.boolean(),
    reasons: fc.nat({ max: 5 }),
  })
  .map(({ text, other, compliant, change, is_known, reasons }): NoticeArtifact => {
    const reason = {
      ...REASON,
      description: `${text} ${other}`,
      artifact_name: text,
      remedy: other,
      found: text,
    }
    const provenance = { ...makeArtifact().provenance, flow_name: other, commit_url: text, build_url: other }
    return makeArtifact({
      name: text,
      fingerprint: is_known ? FINGERPRINT : '',
      compliant,
      change,
      provenance: is_known ? (provenance as NoticeArtifact['provenance']) : null,
      reasons: Array.from({ length: reasons }, () => reason),
    })
  })
const anyEnvironmentNotice = fc
  .record({
    event_type: fc.constantFrom<EnvironmentEvent>(
      'STARTED_ARTIFACT',
      'EXITED_ARTIFACT',
      'SCALED_ARTIFACT',
      'ALLOWED_ARTIFACT',
      'NON_COMPLIANT_ENV',
      'COMPLIANT_ENV',
    ),
    org: anyText,
    environment: anyText,
    actor: anyText,
    name: anyText,
    happened_at: time,
    compliant: fc.constantFrom(true, false, null, undefined),
    artifacts: fc.array(anyArtifact, { maxLength: 14 }),
    more: fc.nat({ max: 1_000 }),
  })
  .map(({ event_type, name, compliant, artifacts, more, ...rest }) =>
    makeEnvironmentNotice(event_type, {
      ...rest,
      notification: { number: 7, name },
      snapshot: compliant === undefined ? null : { index: 12, compliant },
      artifacts,
      artifacts_total: artifacts.length + more,
    }),
  )
const anyKeysNotice = fc
  .array(
    fc
      .record({
        owner: anyText,
        is_personal: fc.boolean(),
        description: anyText,
        hint: anyText,
        expires_at: time,
        last_used_at: fc.option(time),
        notice: fc.constantFrom('first' as const, 'last' as const),
      })
      .map(makeKey),
    { maxLength: 150 },
  )
  .map(makeKeysNotice)

export const anyNotice: fc.Arbitrary<Notice> = fc.oneof(
  { weight: 4, arbitrary: anyEnvironmentNotice },
  { weight: 2, arbitrary: anyKeysNotice },
  { weight: 1, arbitrary: anyText.chain(text => fc.constantFrom(...makeHostileNotices(text))) },
)
