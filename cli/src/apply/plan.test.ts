// Which steps a plan takes, case by case.
import { describe, expect, it } from 'vitest'
import type { Document } from './documents.ts'
import { type Fields, KINDS, type KindName, readDesired } from './kinds.ts'
import type { Ownership } from './ownership.ts'
import { type Current, makePlan } from './plan.ts'

const POLICY = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
const WITH_CONTROL = `${POLICY}  attestations:\n    - name: "*"\n      type: decision\n      for_control: C-1\n`

function write(kind: KindName, name: string, fields: Fields): Document {
  const { key } = KINDS[kind]
  return {
    place: { file: 'all.yml', document: 1 },
    kind,
    name,
    desired: readDesired(KINDS[kind], { [key]: name, ...fields }),
  }
}

function know(kind: KindName, active: readonly Fields[], archived: readonly Fields[] = []): Current {
  const byName = (resources: readonly Fields[]) =>
    new Map(resources.map(resource => [String(resource[KINDS[kind].key]), resource]))
  return { [kind]: { active: byName(active), archived: byName(archived) } }
}

const flow = { name: 'ci', description: '', visibility: 'private', template: 'version: 1\n' }
const policy = { name: 'strict', description: '', versions: [{ version: 1, policy_yaml: POLICY }] }
const environment = {
  name: 'prod',
  type: 'K8S',
  neutral_type: 'K8S',
  description: '',
  include_scaling: false,
  expected_report_interval: 3600,
  policies: ['a', 'b'],
  included_environments: null,
}
const type = {
  name: 'cov',
  versions: [
    {
      version: 2,
      type_schema: { type: 'object' },
      evaluator: { content_type: 'jq', rules: ['.ok'] },
      summary: null,
    },
    { version: 1, type_schema: null, evaluator: { content_type: 'default' }, summary: null },
  ],
}
const control = { identifier: 'C-1', name: 'Reviewed', description: null, links: {} }
const rule = {
  name: 'main',
  description: '',
  issuer: 'https://ci.example.com',
  issuer_kind: 'github',
  audience: 'https://waybill.example.com/acme',
  claims: { repository_id: '74' },
  jwks: null,
  privilege: 'member',
  operations: ['read', 'report', 'attest'],
  flow_name: null,
}
const { issuer, issuer_kind, audience, claims, privilege } = rule
const written_rule = { issuer, issuer_kind, audience, claims, privilege }

const summarize = (plan: ReturnType<typeof makePlan>) =>
  plan.steps.map(({ action, kind, name, differences }) =>
    [action, kind, name, ...differences.map(({ field }) => field)].join(' '),
  )

describe('one document', () => {
  it.each<[string, Document, Current, string]>([
    [
      'nothing of that name',
      write('flow', 'ci', { template: 'version: 1\n' }),
      know('flow', []),
      'create flow ci',
    ],
    [
      'the same',
      write('flow', 'ci', { template: 'version: 1\n' }),
      know('flow', [flow]),
      'unchanged flow ci',
    ],
    [
      'other texts',
      write('flow', 'ci', { template: 'version: 1\n# more\n', description: 'x', visibility: 'public' }),
      know('flow', [flow]),
      'change flow ci description visibility template',
    ],
    [
      'a description that the document no longer has',
      write('flow', 'ci', { template: 'version: 1\n' }),
      know('flow', [{ ...flow, description: 'old' }]),
      'change flow ci description',
    ],
    [
      'an archived one',
      write('flow', 'ci', { template: 'version: 1\n' }),
      know('flow', [], [flow]),
      'restore flow ci',
    ],
    [
      'an archived environment of another type',
      write('environment', 'prod', { type: 'ECS', policies: [] }),
      know('environment', [], [environment]),
      'create environment prod',
    ],
    [
      'an archived environment',
      write('environment', 'prod', { type: 'K8S', policies: [] }),
      know('environment', [], [environment]),
      'restore environment prod',
    ],
    [
      'the same policies in another order',
      write('environment', 'prod', { type: 'K8S', policies: ['b', 'a', 'b'] }),
      { ...know('environment', [environment]) },
      'unchanged environment prod',
    ],
    [
      'fewer policies, and no expected interval',
      write('environment', 'prod', { type: 'K8S', policies: ['a'], expected_report_interval: 'never' }),
      know('environment', [environment]),
      'change environment prod expected_report_interval policies',
    ],
    [
      'the type by the word of the command line',
      write('environment', 'apps', { type: 'azure-apps', policies: ['a', 'b'] }),
      know('environment', [
        { ...environment, name: 'apps', type: 'azure-apps', neutral_type: 'cloudx-apps' },
      ]),
      'unchanged environment apps',
    ],
    [
      'the latest version of a type',
      write('attestation-type', 'cov', {
        type_schema: { type: 'object' },
        evaluator: { content_type: 'jq', rules: ['.ok'] },
      }),
      know('attestation-type', [type]),
      'unchanged attestation-type cov',
    ],
    [
      'rules that the document no longer has',
      write('attestation-type', 'cov', { type_schema: { type: 'object' } }),
      know('attestation-type', [type]),
      'change attestation-type cov evaluator',
    ],
    [
      'a control without a description',
      write('control', 'C-1', { name: 'Reviewed' }),
      know('control', [control]),
      'unchanged control C-1',
    ],
    [
      'a control with a link',
      write('control', 'C-1', { name: 'Reviewed', links: { law: 'https://example.com' } }),
      know('control', [control]),
      'change control C-1 links',
    ],
    [
      'a trust rule',
      write('trust-rule', 'main', written_rule),
      know('trust-rule', [rule]),
      'unchanged trust-rule main',
    ],
    [
      'a trust rule with other claims',
      write('trust-rule', 'main', { ...written_rule, claims: { repository_id: '75' } }),
      know('trust-rule', [rule]),
      'change trust-rule main claims',
    ],
  ])('and %s', (_, document, current, expected) => {
    const plan = makePlan([document], current, undefined)
    expect(summarize(plan)).toEqual([expected])
    expect(plan.problems).toEqual([])
  })
})

describe('the order', () => {
  it('creates references before their users, then removes in the opposite order', () => {
    const plan = makePlan(
      [
        write('trust-rule', 'main', { ...written_rule, flow_name: 'ci' }),
        write('environment', 'all', { type: 'logical', included_environments: ['prod'] }),
        write('environment', 'prod', { type: 'K8S', policies: ['strict'] }),
        write('policy', 'strict', { policy_yaml: WITH_CONTROL }),
        write('flow', 'ci', { template: 'version: 1\n' }),
        write('attestation-type', 'cov', {}),
        write('control', 'C-1', { name: 'Reviewed' }),
      ],
      {
        ...know('control', [{ ...control, identifier: 'old' }]),
        ...know('policy', [{ ...policy, name: 'old' }]),
        ...know('flow', [{ ...flow, name: 'old' }]),
        ...know('environment', [
          { ...environment, name: 'old' },
          { ...environment, name: 'old-all', type: 'logical', neutral_type: 'logical' },
        ]),
        ...know('trust-rule', [{ ...rule, name: 'old' }]),
      },
      {
        name: 'us',
        manages: { control: ['*'], policy: ['*'], flow: ['*'], environment: ['*'], 'trust-rule': ['*'] },
      },
    )
    expect(plan.problems).toEqual([])
    expect(summarize(plan)).toEqual([
      'create control C-1',
      'create attestation-type cov',
      'create flow ci',
      'create policy strict',
      'create environment prod',
      'create environment all',
      'create trust-rule main',
      'delete trust-rule old',
      'archive environment old-all',
      'archive environment old',
      'archive policy old',
      'archive flow old',
      'archive control old',
    ])
  })
})

describe('removing', () => {
  const current = {
    ...know('flow', [
      flow,
      { ...flow, name: 'pay-1' },
      { ...flow, name: 'payments' },
      { ...flow, name: 'pay.2' },
    ]),
    ...know('policy', [policy]),
  }
  const documents = [write('flow', 'pay-1', { template: 'version: 1\n' })]
  it.each<[string, Ownership | undefined, string[]]>([
    ['nothing without an owner', undefined, []],
    ['only names that the owner manages', { name: 'us', manages: { flow: ['pay*'] } }, ['payments', 'pay.2']],
    ['a dot stands for itself', { name: 'us', manages: { flow: ['pay.*'] } }, ['pay.2']],
    ['a whole name', { name: 'us', manages: { flow: ['ci'] } }, ['ci']],
    ['only kinds that the owner manages', { name: 'us', manages: { policy: ['strict'] } }, ['strict']],
    ['never what a document has', { name: 'us', manages: { flow: ['pay-1'] } }, []],
  ])('%s', (_, ownership, expected) => {
    const { steps } = makePlan(documents, current, ownership)
    const removed = steps.filter(({ action }) => action === 'archive').map(({ name }) => name)
    expect(removed.toSorted()).toEqual(expected.toSorted())
  })
})

describe('a plan is refused', () => {
  const all = { name: 'us', manages: { policy: ['*'], environment: ['*'], flow: ['*'], control: ['*'] } }
  it.each<[string, Document[], Current, Ownership | undefined, string]>([
    [
      'if a policy does not exist',
      [write('environment', 'prod', { type: 'K8S', policies: ['gone'] })],
      { ...know('environment', []), ...know('policy', [policy]) },
      undefined,
      'policies: policy gone does not exist, and no document has it',
    ],
    [
      'if a policy would be archived',
      [write('environment', 'prod', { type: 'K8S', policies: ['strict'] })],
      { ...know('environment', []), ...know('policy', [policy]) },
      all,
      'policies: policy strict would be removed',
    ],
    [
      'if a policy is archived',
      [write('environment', 'prod', { type: 'K8S', policies: ['strict'] })],
      { ...know('environment', []), ...know('policy', [], [policy]) },
      undefined,
      'policies: policy strict does not exist, and no document has it',
    ],
    [
      'if a member does not exist',
      [write('environment', 'all', { type: 'logical', included_environments: ['gone'] })],
      know('environment', []),
      undefined,
      'included_environments: environment gone does not exist, and no document has it',
    ],
    [
      'if a member is logical',
      [
        write('environment', 'all', { type: 'logical', included_environments: ['some'] }),
        write('environment', 'some', { type: 'logical', included_environments: [] }),
      ],
      know('environment', []),
      undefined,
      'included_environments: some is a logical environment, and those include only others',
    ],
    [
      'if the type of an environment differs',
      [write('environment', 'prod', { type: 'ECS', policies: [] })],
      know('environment', [environment]),
      undefined,
      'type: the environment is of type K8S, which cannot change to ECS',
    ],
    [
      'if the flow of a trust rule does not exist',
      [write('trust-rule', 'main', { ...written_rule, flow_name: 'gone' })],
      { ...know('trust-rule', []), ...know('flow', [flow]) },
      undefined,
      'flow_name: flow gone does not exist, and no document has it',
    ],
    [
      'if a control of a policy does not exist',
      [write('policy', 'strict', { policy_yaml: WITH_CONTROL })],
      { ...know('policy', []), ...know('control', []) },
      undefined,
      'policy_yaml: control C-1 does not exist, and no document has it',
    ],
  ])('%s', (_, documents, current, ownership, expected) => {
    const { problems } = makePlan(documents, current, ownership)
    expect(problems.map(({ field, message }) => `${field}: ${message}`)).toEqual([expected])
  })

  it.each<[string, Document[], Current]>([
    [
      'an archived control of a policy',
      [write('policy', 'strict', { policy_yaml: WITH_CONTROL })],
      { ...know('policy', []), ...know('control', [], [control]) },
    ],
    [
      'controls of an organization that does not use them',
      [write('policy', 'strict', { policy_yaml: WITH_CONTROL })],
      know('policy', []),
    ],
    [
      'what another document creates',
      [
        write('environment', 'prod', { type: 'K8S', policies: ['strict'] }),
        write('policy', 'strict', { policy_yaml: POLICY }),
      ],
      { ...know('environment', []), ...know('policy', []) },
    ],
  ])('but not for %s', (_, documents, current) => {
    expect(makePlan(documents, current, undefined).problems).toEqual([])
  })
})
