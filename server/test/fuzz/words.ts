// Valid and almost valid texts for fields and parameters with a language of their own, which no schema describes and
// random text never hits.

export const POLICY = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
export const TEMPLATE =
  'version: 1\ntrail:\n  attestations:\n    - {name: a, type: generic}\n  artifacts:\n    - name: image\n'

const HEAD = '_schema: https://waybill.example/v1\n'
const buildRule = (text: string) => `${HEAD}artifacts:\n  attestations:\n    - ${text}\n`
const buildException = (text: string) =>
  `${HEAD}artifacts:\n  provenance:\n    required: true\n    exceptions:\n      - if: "$\{{ ${text} }}"\n`

const BAD_YAML = [
  ': [',
  '&a [*a]',
  'a: &x 1\nb: *x\n',
  '!!js/function x',
  '- - - -',
  '%YAML 9.9',
  '\t',
  'null',
  '[]',
  '1',
]

export const WORDS: Readonly<Record<string, readonly string[]>> = {
  policy_yaml: [
    ...[
      POLICY,
      HEAD,
      ...BAD_YAML,
      buildRule('{type: generic, name: a}'),
      buildRule('{type: decision, for_control: CTRL-1}'),
    ],
    ...[
      buildRule('{type: decision, for_control: no-such-control}'),
      buildRule('{type: "*", name: "*"}'),
      buildRule('{type: 1}'),
    ],
    ...[
      buildException("flow.name == 'one'"),
      buildException("matches(artifact.name, '(a+)+$')"),
      buildRule(`{type: generic, if: "$\{{"}`),
    ],
    ...[
      buildException('exists(flow)'),
      buildException("flow.tags.risk == 'high' and not exists(flow)"),
      buildException('true'),
    ],
  ],
  template: [
    TEMPLATE,
    ...BAD_YAML,
    'version: 1\n',
    'version: 2\n',
    'version: 1\ntrail: {artifacts: [{name: a}, {name: a}]}\n',
  ],
  rules: [
    '.',
    '.a > 1',
    'true',
    'null',
    '[',
    'error',
    'input',
    '.[]',
    'env',
    '$__loc__',
    'empty',
    '.a.b.c',
    '"x" | error',
  ],
  name_regex: [
    '.*',
    '^a$',
    '(',
    '[',
    '(?=a)',
    '\\1',
    '(a+)+$',
    'a{1000}',
    'a{1001}',
    '\\p{L}',
    '(?i)A',
    '\\C',
    '',
  ],
  interval: [
    '1..2',
    '..',
    '1..',
    '..NOW',
    '~1..NOW',
    '@{2.days.ago}..@{now}',
    '2..1',
    '1...2',
    '-1..-2',
    '~99999999999..',
  ],
  start: ['1', '~1', 'NOW', '2days', '99999999999days', '@{now}', '0', '-1', '1hour', '1 day'],
  end: ['1', '~1', 'NOW', '2days', '@{2026-03-03T12:00:00}', '@{2026-02-30T00:00:00}', '0', 'days'],
  event_types: ['started', 'started,exited', 'changed,', ',', 'nothing', 'STARTED'],
  flow_names: ['one', 'one,two', 'no provenance', ',', ' one'],
  repo_names: ['acme/backend', ',', 'acme/backend,x'],
  flow_tag: ['risk=high', 'risk', '=', 'a=b=c', '=x'],
  tag: ['risk', 'risk:high', ':', 'a:b:c', ''],
  summary_type: ['text', 'number'],
  original_attestation_type: ['generic', 'custom:one', 'decision'],
  webhook: [
    'https://hooks.example.com/a-long-secret-path',
    'https://127.0.0.1/a-long-secret-path',
    'https://',
    'https://[::1]/',
  ],
  secret: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_', 'whsec_AAAA'],
}
