// The decisions about policies, seen from outside: a policy is saved and attached, artifacts run, and the snapshot
// shows the verdict and its reasons.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addControl } from '../controls.ts'
import {
  attach,
  buildImageName,
  buildPodReport,
  makeEnvironment,
  putPolicy,
  readLatestSnapshot,
  report,
} from '../environments.ts'
import { startTestApp, type TestApp } from '../harness.ts'
import { makeBuild, makeFingerprint, makeFlow, makeSuites, nameTrail } from '../reports.ts'

const SCHEMA = '_schema: https://waybill.example/v1\nartifacts:\n'
/** Artifacts by the tags of their flow; the last one has no flow. Each is red on its trail. */
const UNTAGGED = 'a0'
const PROD = 'a1'
const TEST = 'a2'
const WORDY = 'a3'
const UNKNOWN = 'a4'
const TAGS: Record<string, Record<string, string>> = {
  [UNTAGGED]: {},
  [PROD]: { env: 'prod', priority: '1' },
  [TEST]: { env: 'test', priority: '10' },
  [WORDY]: { env: 'wordy', priority: 'high' },
}

let app: TestApp
let made = 0
beforeAll(async () => {
  app = await startTestApp()
  for (const [start, set_tags] of Object.entries(TAGS)) {
    await makeFlow(app, `flow-${start}`)
    await app.member.patch(`/tags/acme/flow/flow-${start}`, { set_tags })
    await reportArtifact(start)
    await attest(start, 'generic', { attestation_name: 'review', is_compliant: false })
  }
})
afterAll(() => app.stop())

const reportArtifact = (start: string, flow = `flow-${start}`) =>
  app.member.post(
    `/artifacts/acme/${flow}`,
    makeBuild(makeFingerprint(start), { ...nameTrail(start), filename: buildImageName(start) }),
  )

async function attest(start: string, kind: string, body: Record<string, unknown>, flow = `flow-${start}`) {
  const path = `/attestations/acme/${flow}/trail/${start}/${kind}`
  expect(
    await app.member.post(path, { artifact_fingerprint: makeFingerprint(start), ...body }),
  ).toMatchObject({
    status: 201,
  })
}
const buildGeneric = (attestation_name: string, is_compliant: boolean) => ({ attestation_name, is_compliant })
const buildJunit = (attestation_name: string, failures: number) => ({
  attestation_name,
  junit_results: makeSuites(failures),
})

interface EvaluatedArtifact {
  compliance_state: string
  reasons_for_incompliance: { type: string; attestation_name: string | null; found: string; rule: string }[]
  policy_decisions: { status: string; rule_evaluations: { resolutions: { type: string }[] }[] }[]
}

/** Runs artifacts in a new environment under a policy with these rules; returns them with their verdicts. */
async function evaluate(rules: string, ...starts: string[]): Promise<EvaluatedArtifact[]> {
  const name = `evaluated-${++made}`
  const put = await putPolicy(app, name, SCHEMA + rules)
  expect([put.status, put.body]).toEqual([201, 'OK'])
  await makeEnvironment(app, name)
  await attach(app, name, name)
  await report(app, name, ...starts)
  const { artifacts } = await readLatestSnapshot(app, name)
  return starts.map(start =>
    artifacts.find(({ fingerprint }: { fingerprint: string }) => fingerprint === makeFingerprint(start)),
  )
}

/** The label of each artifact, and the types of its reasons. */
async function readVerdicts(rules: string, ...starts: string[]): Promise<string[][]> {
  const evaluated = await evaluate(rules, ...starts)
  return evaluated.map(({ compliance_state, reasons_for_incompliance: reasons }) => [
    compliance_state,
    ...reasons.map(({ type }) => type),
  ])
}

const GREEN = ['COMPLIANT']
const MISSING = ['NON-COMPLIANT', 'missing_attestation']
const RED_ON_TRAIL = ['NON-COMPLIANT', 'non_compliant_in_trail']
const NO_PROVENANCE = ['NON-COMPLIANT', 'no_provenance']

const wrapInBraces = (condition: string) => `'\${{ ${condition.replaceAll("'", '"')} }}'`
/** Requires evidence that no artifact has, if the condition holds. */
const buildConditionalRule = (condition: string) =>
  `  attestations:\n    - {name: nobody-has-it, type: generic, if: ${wrapInBraces(condition)}}\n`
/** Requires a compliant trail, which no artifact has, unless one of these holds. */
const buildExceptions = (...conditions: string[]) =>
  `  trail-compliance:\n    required: true\n    exceptions:\n${conditions.map(text => `      - if: ${wrapInBraces(text)}\n`).join('')}`
const buildRule = (fields: string) => `  attestations:\n    - {${fields}}\n`

describe('a tag that the flow lacks', () => {
  const COMPARED = [
    "flow.tags.env == 'test'",
    "flow.tags.env != 'prod'",
    "flow.tags.env in ['test']",
    "flow.tags.env not in ['prod']",
    "matches(flow.tags.env, '^test$')",
    'flow.tags.priority > 3',
    "not (flow.tags.env == 'prod')",
    "not matches(flow.tags.env, 'prod')",
    "flow.tags.env == 'test' and flow.tags.priority == 10",
    "flow.tags.env == 'test' or flow.tags.priority > 3",
    "(flow.tags.env == 'prod') == false",
  ]

  it.each(COMPARED)('is null, which no comparison makes true: %s', async condition => {
    expect(await readVerdicts(buildExceptions(condition), UNTAGGED, PROD, TEST)).toEqual([
      RED_ON_TRAIL,
      RED_ON_TRAIL,
      GREEN,
    ])
    expect(await readVerdicts(buildConditionalRule(condition), UNTAGGED, PROD, TEST)).toEqual([
      MISSING,
      GREEN,
      MISSING,
    ])
  })

  it('never waives a rule, however many exceptions use it', async () => {
    expect(await readVerdicts(buildExceptions(...COMPARED), UNTAGGED, PROD, TEST)).toEqual([
      RED_ON_TRAIL,
      RED_ON_TRAIL,
      GREEN,
    ])
  })

  it('waives a rule only when the exception asks whether it exists', async () => {
    for (const condition of COMPARED) {
      expect([condition, await readVerdicts(buildExceptions(condition), UNTAGGED)]).toEqual([
        condition,
        [RED_ON_TRAIL],
      ])
    }
    for (const condition of [
      'not exists(flow.tags.env)',
      "not exists(flow.tags.env) or flow.tags.env == 'x'",
    ]) {
      expect(await readVerdicts(buildExceptions(condition), UNTAGGED, PROD)).toEqual([GREEN, RED_ON_TRAIL])
    }
    expect(
      await readVerdicts(
        buildExceptions("exists(flow.tags.env) and flow.tags.env != 'prod'"),
        UNTAGGED,
        TEST,
      ),
    ).toEqual([RED_ON_TRAIL, GREEN])
  })
})

describe('an expression that cannot be evaluated', () => {
  const ERROR = "flow.tags.priority ('high') and 3 have no order, so '>' cannot compare them"

  it('is never compliant as an exception, and the reason explains it', async () => {
    const [wordy, test] = await evaluate(buildExceptions('flow.tags.priority > 3'), WORDY, TEST)
    expect(test?.compliance_state).toBe('COMPLIANT')
    expect(wordy).toMatchObject({
      compliance_state: 'NON-COMPLIANT',
      reasons_for_incompliance: [{ type: 'non_compliant_in_trail', found: expect.stringContaining(ERROR) }],
    })
  })

  it('is a separate state as a condition, and the reason explains it', async () => {
    await attest(WORDY, 'generic', buildGeneric('there', true))
    const rules = buildRule(`name: there, type: generic, if: ${wrapInBraces('flow.tags.priority > 3')}`)
    const [wordy, prod] = await evaluate(rules, WORDY, PROD)
    expect(prod?.compliance_state).toBe('COMPLIANT')
    expect(wordy).toMatchObject({
      compliance_state: 'NON-COMPLIANT',
      reasons_for_incompliance: [{ type: 'evaluation_error', found: expect.stringContaining(ERROR) }],
    })
    const resolutions = wordy?.policy_decisions.flatMap(({ rule_evaluations }) =>
      rule_evaluations.flatMap(evaluation => evaluation.resolutions),
    )
    expect(resolutions).toContainEqual({
      type: 'evaluation_error',
      context: expect.objectContaining({ error: ERROR }),
    })
  })
})

describe('precedence', () => {
  it.each([
    ['T or T and F', true],
    ['F and T or T', true],
    ['not F and F', false],
    ['not T or T', true],
    ['F or not T and F', false],
    ['not F or T and F', true],
  ])('%s is %s: not before and, and before or', async (written, isTrue) => {
    const spelled = written
      .replaceAll('T', 'artifact.name == artifact.name')
      .replaceAll('F', 'artifact.name != artifact.name')
    expect(await readVerdicts(buildConditionalRule(spelled), PROD)).toEqual([isTrue ? MISSING : GREEN])
  })
})

describe('matches', () => {
  it.each([
    ['a back reference', '(a)\\1', /Back references are not supported/],
    ['a look ahead', 'a(?=b)', /Look-ahead and look-behind are not supported/],
    ['a look behind', '(?<!b)a', /Look-ahead and look-behind are not supported/],
    ['repetitions in a row', '(a{1000})'.repeat(400), /too large/],
    ['repetitions in each other', '(a{500}b{500}){3}', /too large/],
    ['parentheses without end', '('.repeat(1500), /not valid/],
  ])(
    'rejects a pattern that cannot run in linear time, or takes too long: %s',
    async (_what, pattern, said) => {
      const rules = buildConditionalRule(`matches(artifact.name, '${pattern.replaceAll('\\', '\\\\')}')`)
      const { status, body } = await putPolicy(app, 'hostile', SCHEMA + rules)
      expect(status).toBe(400)
      expect(body.errors['policy.artifacts.attestations[0].if']).toMatch(said)
      expect((await app.reader.get('/policies/acme/hostile')).status).toBe(404)
    },
  )

  /** A backtracking engine would never finish with these. */
  it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*a){20}$'])('finishes with %s', async pattern => {
    const name = `endless-${++made}`
    await putPolicy(app, name, SCHEMA + buildConditionalRule(`not matches(artifact.name, '${pattern}')`))
    await makeEnvironment(app, name)
    await attach(app, name, name)
    const [pod] = buildPodReport(UNKNOWN).artifacts
    const artifacts = [{ ...pod, digests: { [`${'a'.repeat(500)}!`]: makeFingerprint(UNKNOWN) } }]
    expect((await app.snapshotter.put(`/environments/acme/${name}/report/K8S`, { artifacts })).status).toBe(
      200,
    )
    expect((await readLatestSnapshot(app, name)).state).toBe(false)
  })
})

describe('a wildcard', () => {
  it('for the name requires a match, and every latest match to be compliant', async () => {
    await makeFlow(app, 'named')
    const starts = ['b0', 'b1', 'b2', 'b3', 'b4']
    for (const start of starts) await reportArtifact(start, 'named')
    const [none = '', one = '', all = '', some = '', again = ''] = starts
    await attest(none, 'generic', buildGeneric('unit', true), 'named')
    for (const [start, name, failures] of [
      [one, 'unit', 0],
      [all, 'unit', 0],
      [all, 'e2e', 0],
      [some, 'unit', 0],
      [some, 'e2e', 1],
      [again, 'unit', 1],
      [again, 'e2e', 0],
      [again, 'unit', 0],
    ] as const) {
      await attest(start, 'junit', buildJunit(name, failures), 'named')
    }
    const red = ['NON-COMPLIANT', 'non_compliant_attestation']
    for (const fields of ['name: "*", type: junit', 'type: junit']) {
      expect(await readVerdicts(buildRule(fields), ...starts)).toEqual([MISSING, GREEN, GREEN, red, GREEN])
    }
    const present = buildRule('name: "*", type: junit, must_be_compliant: false')
    expect(await readVerdicts(present, ...starts)).toEqual([MISSING, GREEN, GREEN, GREEN, GREEN])
  })

  it('for the type is evaluated the same way', async () => {
    await makeFlow(app, 'typed')
    const starts = ['c0', 'c1', 'c2', 'c3']
    for (const start of starts) await reportArtifact(start, 'typed')
    const [none = '', one = '', red = '', again = ''] = starts
    await attest(none, 'generic', buildGeneric('other', true), 'typed')
    await attest(one, 'junit', buildJunit('scan', 0), 'typed')
    await attest(one, 'generic', buildGeneric('other', false), 'typed')
    await attest(red, 'junit', buildJunit('scan', 1), 'typed')
    await attest(again, 'junit', buildJunit('scan', 1), 'typed')
    await attest(again, 'generic', buildGeneric('scan', true), 'typed')
    expect(await readVerdicts(buildRule('name: scan, type: "*"'), ...starts)).toEqual([
      MISSING,
      GREEN,
      ['NON-COMPLIANT', 'non_compliant_attestation'],
      GREEN,
    ])
  })
})

describe('without provenance', () => {
  it('provenance fails', async () => {
    expect(await readVerdicts('  provenance: {required: true}\n', UNKNOWN, PROD)).toEqual([
      NO_PROVENANCE,
      GREEN,
    ])
  })

  it('an exception can let it pass', async () => {
    const except = (condition: string) =>
      `  provenance:\n    required: true\n    exceptions:\n      - if: ${wrapInBraces(condition)}\n`
    const named = (start: string) => except(`artifact.name == '${buildImageName(start)}'`)
    expect(await readVerdicts(named(UNKNOWN), UNKNOWN)).toEqual([GREEN])
    expect(await readVerdicts(named(PROD), UNKNOWN)).toEqual([NO_PROVENANCE])
    expect(await readVerdicts(except("flow.name != 'x'"), UNKNOWN)).toEqual([NO_PROVENANCE])
  })

  it('an attestation rule fails as missing, and one about a flow does not apply', async () => {
    expect(await readVerdicts(buildRule('name: unit, type: junit'), UNKNOWN)).toEqual([MISSING])
    expect(
      await readVerdicts(buildConditionalRule(`artifact.name == '${buildImageName(UNKNOWN)}'`), UNKNOWN),
    ).toEqual([MISSING])
    for (const condition of ["flow.name == 'x'", "flow.tags.env != 'prod'", 'not exists(flow)']) {
      expect(await readVerdicts(buildConditionalRule(condition), UNKNOWN)).toEqual([GREEN])
    }
  })
})

describe('a control', () => {
  it('that a rule names with for_control requires a decision on it, and on no other', async () => {
    for (const identifier of ['SDLC-1', 'SDLC-2']) await addControl(app, identifier)
    await makeFlow(app, 'decided')
    await reportArtifact('d0', 'decided')
    const decide = (control: string, is_compliant: boolean) =>
      app.member.post('/attestations/acme/decided/trail/d0/system', {
        attestation_name: control.toLowerCase(),
        type_name: 'decision',
        control,
        attestation_data: { is_compliant },
      })
    const asks = buildRule('type: decision, for_control: SDLC-1')
    const verdict = async () => {
      const [evaluated] = await evaluate(asks, 'd0')
      const reasons = evaluated?.reasons_for_incompliance ?? []
      return [
        evaluated?.compliance_state,
        ...reasons.map(reason => [reason.type, Object(reason).for_control]),
      ]
    }
    expect((await decide('SDLC-2', true)).status).toBe(201)
    expect(await verdict()).toEqual(['NON-COMPLIANT', ['missing_attestation', 'SDLC-1']])
    await decide('SDLC-1', false)
    expect(await verdict()).toEqual(['NON-COMPLIANT', ['non_compliant_attestation', 'SDLC-1']])
    await decide('SDLC-1', true)
    await decide('SDLC-2', false)
    expect(await verdict()).toEqual(['COMPLIANT'])
  })
})

describe('every red verdict', () => {
  it('has a reason for each rule that fails in each flow, and no green one has any', async () => {
    const rules = `  provenance: {required: true}
  trail-compliance: {required: true}
  attestations:
    - {name: unit, type: junit}
    - {name: review, type: generic}
    - {name: "*", type: snyk}
    - {name: there, type: generic, if: ${wrapInBraces('flow.tags.priority > 3')}}
`
    const failing = ['no_provenance', 'missing_attestation', 'non_compliant_attestation']
    failing.push('non_compliant_in_trail', 'evaluation_error')
    const seen = new Set<string>()
    for (const evaluated of await evaluate(rules, UNTAGGED, PROD, TEST, WORDY, UNKNOWN)) {
      const types = evaluated.policy_decisions.flatMap(({ rule_evaluations }) =>
        rule_evaluations.flatMap(({ resolutions }) => resolutions.map(({ type }) => type)),
      )
      const failed = types.filter(type => failing.includes(type))
      expect(evaluated.compliance_state).toBe('NON-COMPLIANT')
      expect(failed.length).toBeGreaterThan(0)
      expect(evaluated.reasons_for_incompliance.map(({ type }) => type)).toEqual(failed)
      for (const type of failed) seen.add(type)
    }
    expect([...seen].toSorted()).toEqual(failing.toSorted())
    const [green] = await evaluate('  provenance: {required: true}\n', PROD)
    expect(green).toMatchObject({ compliance_state: 'COMPLIANT', reasons_for_incompliance: [] })
  })
})
