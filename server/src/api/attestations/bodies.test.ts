import type { TSchema } from 'typebox'
import { describe, expect, it } from 'vitest'
import { evaluateOverride } from '../../domain/attestation/override.ts'
import { ATTESTATION_TYPES } from '../../domain/attestation/types.ts'
import { makeBodyShapeCheck } from '../../lib/shape.ts'
import * as bodies from './bodies.ts'
import * as examples from './body-examples.ts'

const listProblems = (schema: TSchema, body: unknown) => makeBodyShapeCheck(schema)(body, '')

const SHA1 = 'a'.repeat(40)
const FINGERPRINT = 'b'.repeat(64)

/** The body of a built-in type with its own operation. */
function getBody(name: string): TSchema {
  const type = ATTESTATION_TYPES.find(each => each.name === name && !each.is_system)
  if (!type) throw new Error(`there is no type ${name}`)
  return bodies.buildBody(type)
}

const documented: [string, TSchema, object][] = [
  ...ATTESTATION_TYPES.map(type => {
    const { operation, example } = type
    return [operation, type.is_system ? bodies.SystemBody : bodies.buildBody(type), example] as [
      string,
      TSchema,
      object,
    ]
  }),
  ['custom', bodies.CustomBody, examples.CUSTOM_EXAMPLE],
  ['override', bodies.OverrideBody, examples.OVERRIDE_EXAMPLE],
]

describe.each(documented)('%s', (_, schema, example) => {
  it('accepts its example', () => expect(listProblems(schema, example)).toBeUndefined())

  it('accepts every shared field', () => {
    const shared = {
      artifact_fingerprint: FINGERPRINT,
      target_artifacts: ['backend'],
      git_commit_info: {
        sha1: SHA1,
        message: 'm',
        author: 'A <a@b.c>',
        timestamp: 1_452_902_400,
        branch: '',
      },
      repo_info: { id: '123', name: 'acme/backend', url: 'https://git.example/acme/backend' },
      external_urls: { log: { href: 'https://ci.example/log', fingerprint: FINGERPRINT } },
      origin_url: 'https://ci.example/1',
      user_data: { any: ['thing'] },
      description: 'why',
      annotations: { build_number: '42', 'run-id': '' },
    }
    expect(listProblems(schema, { ...example, ...shared })).toBeUndefined()
  })

  it('refuses unknown fields and a missing name', () => {
    const { attestation_name, ...nameless } = example as { attestation_name: string }
    expect(listProblems(schema, { ...example, surprise: 1 })).toEqual({
      surprise: 'Extra inputs are not permitted [input: 1]',
    })
    expect(listProblems(schema, nameless)).toEqual({ attestation_name: 'Field required [input: None]' })
  })
})

it('has examples that can be evaluated without conversion', () => {
  const verdicts = ATTESTATION_TYPES.map(
    ({ name, evaluate, example }) => [name, evaluate(example).is_compliant] as const,
  )
  expect(Object.fromEntries(verdicts)).toMatchObject({
    generic: true,
    junit: true,
    snyk: false,
    jira: true,
    sonar: true,
    pull_request: true,
    decision: true,
    sbom: true,
  })
  expect(evaluateOverride(examples.OVERRIDE_EXAMPLE.new_compliance_status).is_compliant).toBe(true)
})

const SBOM_DATA = { format: 'spdx-2.3', original_fingerprint: FINGERPRINT }

/** The fields that the Go client puts into every attestation, whatever the type. */
const common = { attestation_name: 'bar', user_data: {} }
const makePull = (keys: object) => ({
  ...common,
  git_provider: 'github',
  pull_requests: [{ merge_commit: '', url: 'https://x.example/1', state: 'OPEN', ...keys }],
})

describe('the Go client', () => {
  it.each<[string, TSchema, object]>([
    ['a plain generic', getBody('generic'), { ...common, is_compliant: false }],
    [
      'a generic for an artifact that is reported later',
      getBody('generic'),
      {
        ...common,
        is_compliant: true,
        target_artifacts: ['cli'],
        git_commit_info: {
          sha1: SHA1,
          message: '**REDACTED**',
          author: '**REDACTED**',
          timestamp: 1_452_902_400,
          branch: '**REDACTED**',
        },
      },
    ],
    ['user data that is null', getBody('generic'), { ...common, is_compliant: true, user_data: null }],
    [
      'junit without a timestamp',
      getBody('junit'),
      {
        ...common,
        junit_results: [{ name: 'a', failures: 1, errors: 0, skipped: 0, total: 2, duration: 0.5 }],
      },
    ],
    ['junit without a suite', getBody('junit'), { ...common, junit_results: [] }],
    [
      'snyk with findings',
      getBody('snyk'),
      {
        ...common,
        snyk_results: {
          schema_version: 1,
          tool: { name: 'Snyk Container', version: '' },
          results: [
            {
              high_count: 1,
              medium_count: 0,
              low_count: 0,
              high: [
                {
                  id: 'S-1',
                  message: 'bad',
                  locations: [{ uri: 'a.js', lines: '1-2' }],
                  priority_score: '500',
                },
              ],
            },
          ],
        },
      },
    ],
    ['jira without a reference', getBody('jira'), { ...common, jira_results: [] }],
    [
      'jira with an issue that does not exist',
      getBody('jira'),
      { ...common, jira_results: [{ issue_id: 'A-1', issue_url: 'https://j/A-1', issue_exists: false }] },
    ],
    [
      'sonar without a quality gate',
      getBody('sonar'),
      { ...common, sonar_results: { serverUrl: 'https://s', taskId: '', project: { key: 'k', url: '' } } },
    ],
    [
      'a pull request as git hosts with a graph API return it',
      getBody('pull_request'),
      makePull({
        approvers: [{ username: 'tom', state: 'APPROVED', timestamp: 1_700_000_000 }],
        author: '',
        created_at: 1_700_000_000,
        title: 't',
        head_ref: 'h',
        base_ref: 'main',
        commits: [
          {
            sha1: SHA1,
            message: 'm',
            author: 'A <a@b.c>',
            author_username: 'a',
            timestamp: 1_700_000_000,
            branch: 'h',
            verified: false,
            signature_state: 'UNSIGNED',
          },
        ],
      }),
    ],
    [
      'a pull request without approvers',
      getBody('pull_request'),
      makePull({ approvers: null, author: 'a', commits: [] }),
    ],
    [
      'a pull request with approvers by name alone',
      getBody('pull_request'),
      makePull({ approvers: [{ username: 'Tom (@tom)' }], author: 'a', commits: [] }),
    ],
    [
      'a pull request as older clients sent it',
      getBody('pull_request'),
      makePull({ approvers: ['tom', 'mira'] }),
    ],
    ['no pull request', getBody('pull_request'), { ...common, git_provider: 'azure', pull_requests: [] }],
    ['a custom list', bodies.CustomBody, { ...common, type_name: 'my.type~1', attestation_data: [1] }],
    ['a custom null', bodies.CustomBody, { ...common, type_name: 't', attestation_data: null }],
    [
      'a decision',
      bodies.SystemBody,
      { ...common, type_name: 'decision', control: 'RCTL-1', attestation_data: { is_compliant: false } },
    ],
    ['an SBOM', bodies.SystemBody, { ...common, type_name: 'sbom', attestation_data: SBOM_DATA }],
    [
      'an SBOM without metadata',
      bodies.SystemBody,
      { ...common, type_name: 'sbom', attestation_data: { ...SBOM_DATA, document: null } },
    ],
    [
      'an override of a custom type',
      bodies.OverrideBody,
      {
        ...common,
        reason: 'r',
        new_compliance_status: true,
        original_attestation_type: 'custom:coverage.v1',
      },
    ],
    [
      'an override of a decision',
      bodies.OverrideBody,
      {
        ...common,
        reason: 'r',
        new_compliance_status: true,
        original_attestation_type: 'system:decision',
      },
    ],
  ])('is accepted: %s', (_, schema, body) => expect(listProblems(schema, body)).toBeUndefined())
})

describe('refused', () => {
  const generic = { ...common, is_compliant: true }
  const override = { ...common, reason: 'r', new_compliance_status: true, original_attestation_type: 'snyk' }
  it.each<[string, TSchema, unknown, Record<string, string>]>([
    [
      'pull requests that are null',
      getBody('pull_request'),
      { ...common, git_provider: 'github', pull_requests: null },
      { pull_requests: 'Input should be a valid list [input: None]' },
    ],
    [
      'an unknown key of a pull request',
      getBody('pull_request'),
      makePull({ draft: true }),
      { 'pull_requests[0].draft': 'Extra inputs are not permitted [input: true]' },
    ],
    [
      'a pull request without address and state',
      getBody('pull_request'),
      { ...common, git_provider: 'github', pull_requests: [{}] },
      {
        'pull_requests[0].url': 'Field required [input: None]',
        'pull_requests[0].state': 'Field required [input: None]',
      },
    ],
    [
      'a name with a dot',
      getBody('generic'),
      { ...generic, attestation_name: 'cli.tests' },
      { attestation_name: "String should match pattern '^[a-zA-Z0-9\\-_,]+$' [input: cli.tests]" },
    ],
    [
      'a malformed fingerprint',
      getBody('generic'),
      { ...generic, artifact_fingerprint: 'abc' },
      { artifact_fingerprint: "String should match pattern '^[a-f0-9]{64}$' [input: abc]" },
    ],
    [
      'an empty origin',
      getBody('generic'),
      { ...generic, origin_url: '' },
      { origin_url: 'Input should be a valid URL, input is empty [input: ]' },
    ],
    [
      'annotations that are a list',
      getBody('generic'),
      { ...generic, annotations: [] },
      { annotations: 'Input should be a valid dictionary [input: []]' },
    ],
    [
      'an annotation with a dot',
      getBody('generic'),
      { ...generic, annotations: { 'a.b': 'x' } },
      { 'annotations.a.b': "String should match pattern '^[A-Za-z0-9_-]+$' [input: a.b]" },
    ],
    [
      'text where a verdict belongs',
      getBody('generic'),
      { ...generic, is_compliant: 'true' },
      { is_compliant: 'Input should be a valid boolean [input: true]' },
    ],
    [
      'a quality gate without a status',
      getBody('sonar'),
      { ...common, sonar_results: { qualityGate: { conditions: [] } } },
      { 'sonar_results.qualityGate.status': 'Field required [input: None]' },
    ],
    [
      'a decision without a verdict',
      bodies.SystemBody,
      { ...common, type_name: 'decision', control: 'C', attestation_data: { why: 'x' } },
      { 'attestation_data.is_compliant': 'Field required [input: None]' },
    ],
    [
      'a system type that does not exist',
      bodies.SystemBody,
      { ...common, type_name: 'horoscope', control: 'C', attestation_data: { is_compliant: true } },
      { type_name: "Input should be 'decision' or 'sbom' [input: horoscope]" },
    ],
    [
      'a decision without a control',
      bodies.SystemBody,
      { ...common, type_name: 'decision', attestation_data: { is_compliant: true } },
      { control: 'Field required [input: None]' },
    ],
    [
      'an SBOM with a control',
      bodies.SystemBody,
      { ...common, type_name: 'sbom', control: 'C', attestation_data: SBOM_DATA },
      { control: 'Extra inputs are not permitted [input: C]' },
    ],
    [
      'an SBOM without data',
      bodies.SystemBody,
      { ...common, type_name: 'sbom', attestation_data: {} },
      {
        'attestation_data.format': 'Field required [input: None]',
        'attestation_data.original_fingerprint': 'Field required [input: None]',
      },
    ],
    [
      'an SBOM with an invalid hash',
      bodies.SystemBody,
      { ...common, type_name: 'sbom', attestation_data: { ...SBOM_DATA, original_fingerprint: 'abc' } },
      {
        'attestation_data.original_fingerprint': "String should match pattern '^[a-f0-9]{64}$' [input: abc]",
      },
    ],
    [
      'no type name',
      bodies.SystemBody,
      common,
      {
        type_name: 'Field required [input: None]',
        attestation_data: 'Field required [input: None]',
      },
    ],
    [
      'missing custom data',
      bodies.CustomBody,
      { ...common, type_name: 't' },
      { attestation_data: 'Field required [input: None]' },
    ],
    [
      'an override without a reason',
      bodies.OverrideBody,
      { ...override, reason: '' },
      { reason: 'String should have at least 1 character [input: ]' },
    ],
    [
      'an override of a type that does not exist',
      bodies.OverrideBody,
      { ...override, original_attestation_type: 'custom:' },
      {
        original_attestation_type: `String should match pattern '${bodies.OVERRIDABLE_TYPE}' [input: custom:]`,
      },
    ],
  ])('%s', (_, schema, body, errors) => expect(listProblems(schema, body)).toEqual(errors))
})
