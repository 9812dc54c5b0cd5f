// Which documents the check rejects before anything is sent, and where each problem is.
import { describe, expect, it } from 'vitest'
import { makeBodyCheck } from '../http/check-body.ts'
import { checkDocuments } from './check.ts'
import { formatProblem, parseFile } from './documents.ts'

const checkBody = makeBodyCheck()

function check(text: string) {
  const parsed = parseFile('all.yml', text)
  const checked = checkDocuments(parsed.documents, checkBody)
  return { ...checked, problems: [...parsed.problems, ...checked.problems].map(formatProblem) }
}

const RULE = `kind: trust-rule
name: main
issuer: https://ci.example.com
issuer_kind: github
audience: https://waybill.example.com/acme
claims: {repository_id: '74'}
privilege: member
`

describe('a file', () => {
  it('has several documents, and may have comments between them', () => {
    const { documents, problems } = check(
      '# Ours\n---\nkind: flow\nname: a\ntemplate: |\n  version: 1\n---\n# Nothing\n---\nkind: environment\nname: b\ntype: K8S\npolicies: []\n',
    )
    expect(problems).toEqual([])
    expect(documents.map(({ kind, name, place }) => [kind, name, place.document])).toEqual([
      ['flow', 'a', 1],
      ['environment', 'b', 3],
    ])
  })

  it('can declare what it manages', () => {
    const { ownership, problems } = check('kind: ownership\nname: us\nmanages:\n  flow: [pay-*]\n')
    expect(problems).toEqual([])
    expect(ownership?.manages).toEqual({ flow: ['pay-*'] })
  })

  it.each([
    ['all kinds', RULE],
    ['schemas with empty values', "kind: attestation-type\nname: a\ntype_schema: {enum: [null, '']}\n"],
    ['an empty list', 'kind: environment\nname: a\ntype: logical\nincluded_environments: []\n'],
    [
      'no expected interval',
      'kind: environment\nname: a\ntype: K8S\npolicies: []\nexpected_report_interval: never\n',
    ],
  ])('may have %s', (_, text) => expect(check(text).problems).toEqual([]))
})

describe('a document is refused', () => {
  it.each([
    ['without a kind', 'name: a\n', 'all.yml, document 1: kind: is missing: one of '],
    [
      'of an unknown kind',
      'kind: flows\nname: a\n',
      'all.yml, document 1: kind: "flows" is not known. Did you mean flow?',
    ],
    ['that is a list', '- a\n', 'all.yml, document 1: is not a list of fields and values'],
    ['without a name', 'kind: flow\ntemplate: |\n  version: 1\n', 'all.yml, document 1: name: is missing'],
    [
      'with a number as its name',
      'kind: flow\nname: 7\ntemplate: |\n  version: 1\n',
      'all.yml, document 1: name: must be text',
    ],
    [
      'with an unknown field',
      'kind: flow\nname: a\ntemplat: x\ntemplate: |\n  version: 1\n',
      'all.yml, document 1 (flow a): templat: is not a field of a flow. Did you mean template?',
    ],
    [
      'with an empty value',
      'kind: flow\nname: a\ndescription:\ntemplate: |\n  version: 1\n',
      '(flow a): description: is empty',
    ],
    [
      'with an empty text',
      "kind: flow\nname: a\ndescription: ''\ntemplate: |\n  version: 1\n",
      '(flow a): description: is empty',
    ],
    [
      'with an empty value in a list',
      "kind: environment\nname: a\ntype: K8S\npolicies: [b, '']\n",
      '(environment a): policies.1: is empty',
    ],
    ['without a template', 'kind: flow\nname: a\n', '(flow a): template: is missing'],
    [
      'with a template that is not text',
      'kind: flow\nname: a\ntemplate:\n  version: 1\n',
      '(flow a): template: must be text. Write "template: |" and indent what follows',
    ],
    [
      'with a wrong template',
      'kind: flow\nname: a\ntemplate: |\n  version: 2\n',
      '(flow a): template.version: line 1, column 10',
    ],
    [
      'with a wrong policy',
      'kind: policy\nname: a\npolicy_yaml: |\n  _schema: https://waybill.example/v1\n  artefacts: {}\n',
      '(policy a): policy.artefacts: line 2, column 1',
    ],
    [
      'without its policies',
      'kind: environment\nname: a\ntype: K8S\n',
      '(environment a): policies: is missing',
    ],
    [
      'without its members',
      'kind: environment\nname: a\ntype: logical\n',
      '(environment a): included_environments: is missing',
    ],
    [
      'with policies of a logical environment',
      'kind: environment\nname: a\ntype: logical\nincluded_environments: []\npolicies: [b]\n',
      '(environment a): policies: A logical environment is evaluated by the policies of its members',
    ],
    [
      'of an unknown type',
      'kind: environment\nname: a\ntype: cloud\npolicies: []\n',
      '(environment a): type: must be equal to one of the allowed values: K8S, ECS',
    ],
    [
      'with a name that the service refuses',
      'kind: environment\nname: a b\ntype: K8S\npolicies: []\n',
      '(environment a b): name: must match pattern',
    ],
    [
      'with an unknown field in a field',
      `${RULE}jwks: {keys: [], kyes: []}\n`,
      '(trust-rule main): jwks: must NOT have additional properties (kyes)',
    ],
    [
      'with a claim that is no text',
      RULE.replace("'74'", '74'),
      '(trust-rule main): claims.repository_id: must be string',
    ],
    [
      'with the same field twice',
      'kind: flow\nname: a\nname: b\n',
      'all.yml, document 1: is not valid YAML: Map keys must be unique',
    ],
    ['that is not YAML', 'kind: flow\nname: [a\n', 'all.yml, document 1: is not valid YAML'],
    [
      'that says nothing about what it manages',
      'kind: ownership\nname: us\n',
      'all.yml, document 1: manages: is missing',
    ],
    [
      'that manages an unknown kind',
      'kind: ownership\nname: us\nmanages: {flows: [a]}\n',
      'all.yml, document 1: manages.flows: is not a kind',
    ],
    [
      'that manages no names',
      'kind: ownership\nname: us\nmanages: {flow: []}\n',
      'all.yml, document 1: manages.flow: must be a list of names',
    ],
  ])('%s', (_, text, problem) => {
    const { problems, documents, ownership } = check(text)
    expect(problems.join('\n')).toContain(problem)
    expect([documents, ownership]).toEqual([[], undefined])
  })

  it('that appears twice', () => {
    const one = 'kind: flow\nname: a\ntemplate: |\n  version: 1\n'
    expect(check(`${one}---\n${one}`).problems).toEqual([
      'all.yml, document 2 (flow a): is also in all.yml, document 1',
    ])
  })

  it('if there are two owners', () => {
    const one = 'kind: ownership\nname: us\nmanages: {flow: [a]}\n'
    expect(check(`${one}---\n${one.replace('us', 'them')}`).problems).toEqual([
      'all.yml, document 2: is also in all.yml, document 1',
    ])
  })
})
