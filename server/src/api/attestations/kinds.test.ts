import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFlow, makeSuites, readStoredRows, WIRE_ID } from '../../../test/reports.ts'
import { recordWaits } from '../../../test/statement-log.ts'
import { checkIntegrity } from '../../admin/check.ts'
import { ATTESTATION_TYPES, findType } from '../../domain/attestation/types.ts'
import { OVERRIDE_EXAMPLE } from './body-examples.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const buildPath = (slug: string) => `/attestations/acme/ci/trail/run/${slug}`
const report = (slug: string, body: unknown) => app.member.post(buildPath(slug), body)
const readLatest = async (name: string) =>
  (await app.reader.get(`/attestations/acme/ci/trail/run/${name}`)).body[0]

const ATTACHING = ATTESTATION_TYPES.map(
  ({ operation, stored_name, example }): [string, string, { attestation_name: string }] => [
    operation,
    stored_name,
    example,
  ],
)
const getExample = (name: string) => ({ ...findType(name)?.example })

/** The body as returned: scan results have another key, and a generic attestation has only its verdict. */
function toRead({ snyk_results, ...body }: Record<string, unknown>) {
  return snyk_results === undefined ? body : { ...body, processed_snyk_results: snyk_results }
}

/** An SBOM has the hash of its file. */
const describeFile = (original_fingerprint: string) => ({
  attestation_data: { format: 'spdx-2.3', original_fingerprint },
  annotations: {},
})

/** An override is about an existing attestation; everything else is new. */
const getStatus = (slug: string) => (slug === 'override' ? 200 : 201)

describe('201', () => {
  it.each([...ATTACHING, ['override', 'override', OVERRIDE_EXAMPLE] as const])(
    'accepts %s as JSON and returns what was sent',
    async (slug, attestation_type, example) => {
      const name = `json-${slug}`
      const { status, text } = await report(slug, { ...example, attestation_name: name })
      expect(status).toBe(getStatus(slug))
      expect(text).toBe('"OK"')
      const attestation = await readLatest(name)
      expect(attestation).toMatchObject({
        ...toRead({ ...example, attestation_name: name }),
        attestation_type,
        attestation_id: expect.stringMatching(WIRE_ID),
        schema_version: 2,
        flow_name: 'ci',
        trail_name: 'run',
        reported_by: 'max',
        created_at: app.clock.now().getTime() / 1000,
        evidence_archive_path: null,
        evidence_archive_fingerprint: null,
      })
      expect(attestation).not.toHaveProperty('snyk_results')
    },
  )

  it.each(ATTACHING)('accepts %s as a form with a file', async (slug, attestation_type, example) => {
    const attestation_name = `form-${attestation_type.replace(':', '-')}`
    const content = `evidence of ${slug}`
    const sha256 = createHash('sha256').update(content).digest('hex')
    const sent = {
      ...example,
      attestation_name,
      ...(attestation_type === 'system:sbom' ? describeFile(sha256) : {}),
    }
    const { status, body } = await app.member.form('POST', buildPath(slug), {
      data_json: JSON.stringify(sent),
      attachment_file: makeFile(content),
    })
    expect(status).toBe(201)
    expect(body).toBe('OK')
    const attestation = await readLatest(attestation_name)
    expect(attestation).toMatchObject({
      ...toRead(sent),
      attestation_type,
      evidence_archive_fingerprint: sha256,
      evidence_archive_path: expect.stringMatching(
        new RegExp(`^[0-9a-f-]{32}/trail_attestation/${attestation.attestation_id}/.`),
      ),
    })
    expect(attestation._links.evidence.href).toBe(
      `http://waybill.test/api/v2/attestations/acme/ci/trail/run/attestation/${attestation.attestation_id}/evidence`,
    )
  })

  it('accepts a form without a file', async () => {
    const data_json = JSON.stringify({ ...getExample('generic'), attestation_name: 'no-file' })
    expect((await app.member.form('POST', buildPath('generic'), { data_json })).status).toBe(201)
    expect(await readLatest('no-file')).toMatchObject({ evidence_archive_fingerprint: null })
  })

  it('keeps the order of keys in user-defined data', async () => {
    await report('system', {
      ...getExample('decision'),
      attestation_name: 'order',
      attestation_data: { zebra: 1, is_compliant: true, a: { c: 2, bb: 3 } },
    })
    const { text } = await app.reader.get('/attestations/acme/ci/trail/run/order')
    expect(text).toContain('"attestation_data":{"zebra":1,"is_compliant":true,"a":{"c":2,"bb":3}}')
  })

  it('costs two waits once the caller is known', async () => {
    await report('generic', { attestation_name: 'warm', is_compliant: true })
    const reportAgain = () => report('generic', { attestation_name: 'warm', is_compliant: true })
    expect(await recordWaits(app, reportAgain)).toHaveLength(2)
  })
})

const makeSuite = (failures: number, errors: number) => ({ ...makeSuites(failures)[0], errors })
const makeScan = (high_count: number, medium_count: number, low_count: number, more = {}) => ({
  snyk_results: {
    schema_version: 1,
    tool: { name: 'Snyk', version: '1' },
    results: [{ high_count, medium_count, low_count, ...more }],
  },
})
const makeIssue = (issue_exists: boolean) => ({
  issue_id: 'A-1',
  issue_url: 'https://j.example/A-1',
  issue_exists,
})
const makePulls = (pull_requests: unknown) => ({ git_provider: 'github', pull_requests })
const pull = { url: 'https://git.example/pull/1', state: 'OPEN', merge_commit: '', author: '', commits: [] }
const makeDecisionBody = (is_compliant: boolean) => ({
  type_name: 'decision',
  control: 'CTRL-7',
  attestation_data: { is_compliant },
})
const SBOM = { format: 'cyclonedx-1.6', original_fingerprint: 'b'.repeat(64), document: null }
const inventory = { type_name: 'sbom', attestation_data: SBOM }
const makeOverride = (new_compliance_status: boolean) => ({
  reason: 'why',
  new_compliance_status,
  original_attestation_type: 'generic',
})

describe('the verdict', () => {
  it.each<[boolean, string, string, object]>([
    [true, 'generic', 'true', { is_compliant: true }],
    [false, 'generic', 'false', { is_compliant: false }],
    [true, 'junit', 'suites that pass', { junit_results: [makeSuite(0, 0), makeSuite(0, 0)] }],
    [false, 'junit', 'a failure in one suite', { junit_results: [makeSuite(0, 0), makeSuite(1, 0)] }],
    [false, 'junit', 'an error', { junit_results: [makeSuite(0, 1)] }],
    [false, 'junit', 'no suite', { junit_results: [] }],
    [true, 'snyk', 'no finding', makeScan(0, 0, 0)],
    [true, 'snyk', 'no finding, with null lists', makeScan(0, 0, 0, { high: null, medium: null, low: null })],
    [false, 'snyk', 'a high finding', makeScan(1, 0, 0)],
    [false, 'snyk', 'a medium finding', makeScan(0, 1, 0)],
    [false, 'snyk', 'a low finding', makeScan(0, 0, 1)],
    [
      false,
      'snyk',
      'a finding that was not counted',
      makeScan(0, 0, 0, { low: [{ id: 'S', message: 'm' }] }),
    ],
    [true, 'jira', 'an issue', { jira_results: [makeIssue(true)] }],
    [false, 'jira', 'an issue that does not exist', { jira_results: [makeIssue(true), makeIssue(false)] }],
    [false, 'jira', 'no issue', { jira_results: [] }],
    [true, 'sonar', 'a passed gate', { sonar_results: { qualityGate: { status: 'OK' } } }],
    [false, 'sonar', 'a failed gate', { sonar_results: { qualityGate: { status: 'ERROR' } } }],
    [false, 'sonar', 'no gate', { sonar_results: { serverUrl: 'https://s.example' } }],
    [true, 'pull_request', 'a pull request in any state', makePulls([pull])],
    [false, 'pull_request', 'no pull request', makePulls([])],
    [true, 'system', 'a compliant decision', makeDecisionBody(true)],
    [false, 'system', 'a non-compliant decision', makeDecisionBody(false)],
    [true, 'system', 'an SBOM, whatever its content', inventory],
    [true, 'override', 'replaced by true', makeOverride(true)],
    [false, 'override', 'replaced by false', makeOverride(false)],
  ])('is %s for %s: %s', async (is_compliant, slug, _, payload) => {
    const body = { attestation_name: 'evaluated', ...payload }
    expect((await report(slug, body)).status).toBe(getStatus(slug))
    expect(await readLatest('evaluated')).toMatchObject({ is_compliant, verdict: { is_compliant } })
    const event = (await app.readEvents('trail_attestation_reported')).at(-1)
    expect(event?.data).toMatchObject({ is_compliant, template_reference_name: 'evaluated' })
  })
})

describe('an SBOM', () => {
  const annotations = { sbom_format: SBOM.format, sbom_sha256: SBOM.original_fingerprint }

  it('has its format and its hash in the annotations, whether they were sent or not', async () => {
    await report('system', { attestation_name: 'unsaid', ...inventory, annotations: { team: 'core' } })
    expect((await readLatest('unsaid')).annotations).toEqual({ team: 'core', ...annotations })
    await report('system', { attestation_name: 'said', ...inventory, annotations })
    expect((await readLatest('said')).annotations).toEqual(annotations)
  })

  it.each([
    ['sbom_format', 'spdx-2.3', SBOM.format],
    ['sbom_sha256', 'c'.repeat(64), SBOM.original_fingerprint],
  ])('is refused when %s has another value', async (key, given, right) => {
    const before = await readStoredRows(app)
    const body = { attestation_name: 'contradicted', ...inventory, annotations: { [key]: given } }
    const answer = await report('system', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual({
      [`annotations.${key}`]: `Input should be '${right}', as in attestation_data [input: ${given}]`,
    })
    expect(await readStoredRows(app)).toEqual(before)
  })

  it('must have the hash of the attached file', async () => {
    const content = 'SPDXVersion: SPDX-2.3'
    const sha256 = createHash('sha256').update(content).digest('hex')
    const attach = (attestation_name: string, original_fingerprint: string) =>
      app.member.form('POST', buildPath('system'), {
        data_json: JSON.stringify({
          attestation_name,
          type_name: 'sbom',
          attestation_data: { ...SBOM, original_fingerprint },
        }),
        attachment_file: makeFile(content),
      })
    expect((await attach('same', sha256)).status).toBe(201)
    const before = await readStoredRows(app)
    const other = 'c'.repeat(64)
    const refused = await attach('other', other)
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      {
        'data_json.attestation_data.original_fingerprint': `Input should be the SHA-256 of the attached file, ${sha256} [input: ${other}]`,
      },
    ])
    expect(await readStoredRows(app)).toEqual(before)
  })

  it('does not reserve these annotations for other types', async () => {
    const given = { sbom_format: 'mine' }
    expect(
      (await report('generic', { attestation_name: 'other', is_compliant: true, annotations: given })).status,
    ).toBe(201)
    expect((await readLatest('other')).annotations).toEqual(given)
  })

  it.each(['sbom', 'system:sbom'])('fills a slot of the type %s, and is found by that type', async type => {
    const flow = `sbom-${type.length}`
    await makeFlow(app, flow, `version: 1\ntrail: {attestations: [{name: bom, type: '${type}'}]}\n`)
    await app.member.put(`/trails/acme/${flow}`, { name: 'run' })
    const readState = async () => (await app.reader.get(`/trails/acme/${flow}/run`)).body.compliance_state
    expect(await readState()).toBe('INCOMPLETE')
    await app.member.post(`/attestations/acme/${flow}/trail/run/system`, {
      attestation_name: 'bom',
      ...inventory,
    })
    expect(await readState()).toBe('COMPLIANT')
    const found = await app.reader.get(`/attestations/acme?type=${type}&flow=${flow}`)
    expect(found.body.data).toMatchObject([{ attestation_name: 'bom', attestation_type: 'system:sbom' }])
    expect((await checkIntegrity(app.owner)).filter(({ ok }) => !ok)).toEqual([])
  })
})

describe('a custom type', () => {
  const reportLoad = (type_name: string, attestation_data: unknown) =>
    report('custom', { attestation_name: `of-${type_name}`, type_name, attestation_data })
  beforeAll(async () => {
    const evaluator = { content_type: 'jq', rules: ['.requests > 10'] }
    await app.member.post('/custom-attestation-types/acme', { name: 'load', evaluator })
  })

  it.each([
    [11, true],
    [10, false],
  ])('decides by its rules: %d requests are compliant: %s', async (requests, is_compliant) => {
    expect((await reportLoad('load', { requests })).status).toBe(201)
    expect(await readLatest('of-load')).toMatchObject({
      attestation_type: 'custom:load',
      attestation_data: { requests },
      is_compliant,
    })
  })

  it('must exist', async () => {
    const before = await readStoredRows(app)
    const { status, body } = await reportLoad('unknown', {})
    expect(status).toBe(404)
    expect(body).toEqual({ message: "Custom attestation type 'unknown' does not exist for org 'acme'" })
    expect(await readStoredRows(app)).toEqual(before)
  })
})

describe('approvers', () => {
  it.each([
    ['people', [{ username: 'tom', state: 'APPROVED', timestamp: 1_700_000_000 }]],
    ['people without a state', [{ username: 'Tom (@tom)' }]],
    ['names, as older clients sent them', ['tom', 'mira']],
    ['null', null],
    ['nobody', []],
  ])('may be %s', async (_, approvers) => {
    const body = { attestation_name: 'approved', ...makePulls([{ ...pull, approvers }]) }
    expect((await report('pull_request', body)).status).toBe(201)
    expect((await readLatest('approved')).pull_requests).toEqual([{ ...pull, approvers }])
  })
})

describe('400', () => {
  const EMPTY_PULLS = { attestation_name: 'refused', ...makePulls(null) }
  const sentence = 'Input should be a valid list [input: None]'

  it('names the field and, for a form, its part', async () => {
    const before = await readStoredRows(app)
    const sent = { data_json: JSON.stringify(EMPTY_PULLS) }
    const form = await app.member.form('POST', buildPath('pull_request'), sent)
    expect(form.status).toBe(400)
    expect(form.body).toEqual({
      message: 'Input payload validation failed',
      errors: { 'data_json.pull_requests': sentence },
    })
    const plain = await report('pull_request', EMPTY_PULLS)
    expect(plain.status).toBe(400)
    expect(plain.body.errors).toEqual({ pull_requests: sentence })
    expect(await readStoredRows(app)).toEqual(before)
  })

  it.each(ATTACHING)('requires the JSON part of %s', async slug => {
    const { status, body } = await app.member.form('POST', buildPath(slug), {
      attachment_file: makeFile('x'),
    })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ data_json: 'Field required [input: None]' })
  })

  it.each(ATTACHING)('refuses unknown fields of %s', async (slug, _, example) => {
    const { status, body } = await report(slug, { ...example, surprise: 1 })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ surprise: 'Extra inputs are not permitted [input: 1]' })
  })
})

describe('403', () => {
  it.each(ATTACHING)('does not let a reader report %s', async (slug, _, example) => {
    const before = await readStoredRows(app)
    expect((await app.reader.post(buildPath(slug), example)).status).toBe(403)
    expect((await app.outsider.post(buildPath(slug), example)).status).toBe(403)
    expect(await readStoredRows(app)).toEqual(before)
  })
})

describe('415', () => {
  it('accepts no form for an override, which has no evidence', async () => {
    const data_json = JSON.stringify(OVERRIDE_EXAMPLE)
    expect((await app.member.form('POST', buildPath('override'), { data_json })).status).toBe(415)
  })
})
