import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  attach,
  buildImageName,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../../test/environments.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail } from '../../../test/reports.ts'
import { listStatements } from '../../../test/statement-log.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'build')
  // 'a' was tested and scanned, 'b' only tested; no flow knows 'c'.
  for (const start of ['a', 'b']) {
    const more = { ...nameTrail(start), filename: buildImageName(start) }
    await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint(start), more))
    await attest(start, 'unit')
  }
  await attest('a', 'scan')
})
afterAll(() => app.stop())

const attest = (start: string, attestation_name: string) =>
  app.member.post(`/attestations/acme/build/trail/${start}/generic`, {
    attestation_name,
    is_compliant: true,
    artifact_fingerprint: makeFingerprint(start),
  })

const tryText = (name: string | null, body: Record<string, unknown>) =>
  app.reader.post(`/policies/acme/${name === null ? '' : `${name}/`}try`, body)

async function tryPolicy(name: string | null, body: Record<string, unknown>) {
  const answer = await tryText(name, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

async function prepareEnvironment(name: string, policy: string | null, ...running: string[]) {
  await makeEnvironment(app, name)
  if (policy) await attach(app, name, policy)
  await report(app, name, ...running)
}

/** The row count of each table in the schema, and a hash of the tables that could be written to. */
async function hashTables() {
  const tables = await app.sql(
    "select tablename from pg_tables where schemaname = 'public' order by tablename",
  )
  const counts = []
  for (const { tablename } of tables) {
    const [row] = await app.sql(`select count(*)::int as rows,
      md5(string_agg(t::text, '|' order by t::text)) as content from ${tablename} t`)
    counts.push([tablename, row?.rows, tablename === 'personal_keys' ? '' : row?.content])
  }
  return counts
}

const IN_FORCE = buildPolicyRequiring('unit')
const STRICTER = buildPolicyRequiring('unit', 'scan')

describe('200 for a policy', () => {
  it('returns which verdicts would flip, and why', async () => {
    await putPolicy(app, 'one', IN_FORCE)
    await prepareEnvironment('prod', 'one', 'a', 'b')
    await app.evaluate()
    const body = await tryPolicy('one', { policy_yaml: STRICTER })
    expect(body).toEqual({
      policy_name: 'one',
      targets: [
        {
          environment_name: 'prod',
          snapshot_index: 1,
          compliant_before: true,
          compliant_after: false,
          artifacts: 2,
          counts_before: { true: 2, false: 0, null: 0 },
          counts_after: { true: 1, false: 1, null: 0 },
          flips_total: 1,
          flips: [
            {
              artifact_name: buildImageName('b'),
              artifact_fingerprint: makeFingerprint('b'),
              compliant_before: true,
              compliant_after: false,
              reasons_before: [],
              reasons_after: [
                expect.objectContaining({
                  type: 'missing_attestation',
                  policy_name: 'one',
                  policy_version: 2,
                  attestation_name: 'scan',
                  trail_name: 'b',
                  remedy: expect.stringContaining("'scan'"),
                }),
              ],
            },
          ],
        },
      ],
      summary: {
        environments_that_would_turn_red: 1,
        environments_that_would_turn_green: 0,
        artifacts_that_would_turn_red: 1,
        artifacts_that_would_turn_green: 0,
      },
      warnings: [],
    })
  })

  it('names the version in force for the text in force, which attaching would apply', async () => {
    await putPolicy(app, 'twice', IN_FORCE)
    await putPolicy(app, 'twice', STRICTER)
    await prepareEnvironment('not-attached', 'one', 'b')
    await app.evaluate()
    const read = async (policy_yaml: string) => {
      const body = { policy_yaml, environments: ['not-attached'] }
      return (await tryPolicy('twice', body)).targets[0].flips[0].reasons_after[0]
    }
    expect(await read(STRICTER)).toMatchObject({ policy_name: 'twice', policy_version: 2 })
    expect(await read(buildPolicyRequiring('scan', 'unit'))).toMatchObject({ policy_version: 3 })
  })

  it('predicts the effect of storing the text', async () => {
    await putPolicy(app, 'told', IN_FORCE)
    await prepareEnvironment('foretold', 'told', 'a', 'b', 'c')
    await app.evaluate()
    const [target] = (await tryPolicy('told', { policy_yaml: STRICTER })).targets
    await putPolicy(app, 'told', STRICTER)
    await app.evaluate()
    const { artifact_compliance_count, artifacts, state } = (
      await app.reader.get('/snapshots/acme/foretold/-1')
    ).body
    expect(target.counts_after).toEqual(artifact_compliance_count)
    expect(target.compliant_after).toBe(state)
    const red = artifacts.find(
      ({ fingerprint }: { fingerprint: string }) => fingerprint === makeFingerprint('b'),
    )
    expect(target.flips[0].reasons_after).toEqual(red.reasons_for_incompliance)
  })

  it('reads the evidence again when something changed, and only then', async () => {
    await prepareEnvironment('edited', null, 'd')
    const more = { ...nameTrail('d'), filename: buildImageName('d') }
    await app.member.post('/artifacts/acme/build', makeBuild(makeFingerprint('d'), more))
    const draft = { policy_yaml: IN_FORCE, environments: ['edited'] }
    const countGreen = async () => (await tryPolicy(null, draft)).targets[0].counts_after.true
    expect(await countGreen()).toBe(0)
    const names = await listStatements(app, countGreen)
    expect(names).toContain('policies.log_position')
    expect(names).not.toContain('evaluation.known_flows')
    await attest('d', 'unit')
    expect(await countGreen()).toBe(1)
  })

  it('returns which artifacts would turn green', async () => {
    await putPolicy(app, 'loosened', STRICTER)
    await prepareEnvironment('loose', 'loosened', 'b')
    await app.evaluate()
    const body = await tryPolicy('loosened', { policy_yaml: IN_FORCE })
    expect(body.targets).toMatchObject([{ compliant_before: false, compliant_after: true, flips_total: 1 }])
    expect(body.targets[0].flips[0]).toMatchObject({
      reasons_before: [{ attestation_name: 'scan' }],
      reasons_after: [],
    })
    expect(body.summary).toEqual({
      environments_that_would_turn_red: 0,
      environments_that_would_turn_green: 1,
      artifacts_that_would_turn_red: 0,
      artifacts_that_would_turn_green: 1,
    })
  })

  it('stores nothing, whatever the input', async () => {
    await putPolicy(app, 'silent', IN_FORCE)
    await prepareEnvironment('quiet', 'silent', 'a', 'b')
    await app.evaluate()
    await tryPolicy('silent', { policy_yaml: STRICTER })
    const before = await hashTables()
    await tryPolicy('silent', { policy_yaml: STRICTER })
    await tryPolicy('silent', { policy_yaml: STRICTER, snapshots: ['quiet~0'] })
    await tryPolicy(null, { policy_yaml: STRICTER, environments: ['quiet'] })
    await tryText('silent', { policy_yaml: 'nonsense' })
    expect(before.length).toBeGreaterThan(20)
    expect(await hashTables()).toEqual(before)
  })

  it('does not apply the draft to later evaluations', async () => {
    await putPolicy(app, 'kept', IN_FORCE)
    await prepareEnvironment('keeps', 'kept', 'b')
    await tryPolicy('kept', { policy_yaml: STRICTER })
    await tryPolicy('kept', { policy_yaml: buildPolicyRequiring('unheard-of') })
    const { body } = await app.reader.get(
      `/asserts/acme/fingerprint/${makeFingerprint('b')}?environment_name=keeps`,
    )
    expect(body.compliant).toBe(true)
    expect((await tryPolicy('kept', { policy_yaml: STRICTER })).targets[0].flips_total).toBe(1)
  })

  it('evaluates past snapshots by the evidence known now', async () => {
    await putPolicy(app, 'past', IN_FORCE)
    await prepareEnvironment('history', 'past', 'b')
    app.clock.advance(3 * 24 * 3_600_000)
    await report(app, 'history', 'a')
    const body = await tryPolicy('past', {
      policy_yaml: STRICTER,
      snapshots: ['history~1', 'history', 'history@{2.days.ago}', 'history#2'],
    })
    const shown = body.targets.map((target: Record<string, unknown>) => [
      target.snapshot_index,
      target.compliant_before,
      target.compliant_after,
      target.artifacts,
    ])
    expect(shown).toEqual([
      [1, true, false, 1],
      [2, true, true, 1],
    ])
    expect(body.summary.environments_that_would_turn_red).toBe(1)
  })

  it('defaults to every environment that the policy is attached to, and is added elsewhere', async () => {
    await putPolicy(app, 'shared', IN_FORCE)
    await putPolicy(app, 'other', buildPolicyRequiring())
    await prepareEnvironment('first', 'shared', 'a')
    await prepareEnvironment('second', 'shared', 'b')
    await prepareEnvironment('third', 'other', 'b')
    await makeEnvironment(app, 'unreported')
    await attach(app, 'unreported', 'shared')
    const getNames = (body: { targets: { environment_name: string }[] }) =>
      body.targets.map(({ environment_name }) => environment_name)
    const body = await tryPolicy('shared', { policy_yaml: STRICTER })
    expect(getNames(body)).toEqual(['first', 'second'])
    const added = await tryPolicy('shared', { policy_yaml: STRICTER, environments: ['third'] })
    expect(added.targets).toMatchObject([{ compliant_before: true, compliant_after: false, flips_total: 1 }])
    expect(getNames(await tryPolicy('shared', { policy_yaml: STRICTER, environments: [] }))).toEqual([])
  })

  it('respects the allow-list and the other policies', async () => {
    await putPolicy(app, 'with', IN_FORCE)
    await putPolicy(app, 'also', buildPolicyRequiring('scan'))
    await prepareEnvironment('company', 'with', 'a', 'b')
    await attach(app, 'company', 'also')
    const before = (await tryPolicy('with', { policy_yaml: buildPolicyRequiring() })).targets[0]
    // 'b' stays red, because the other policy still requires its scan.
    expect(before).toMatchObject({ flips_total: 0, counts_after: { true: 1, false: 1 } })
    const entry = { artifact_fingerprint: makeFingerprint('b'), artifact_name: 'b', description: 'vendor' }
    await app.admin.put('/allowlists/acme/company', entry)
    const after = (await tryPolicy('with', { policy_yaml: buildPolicyRequiring('unheard-of') })).targets[0]
    expect(after.counts_after).toEqual({ true: 1, false: 1, null: 0 })
    expect(after.flips).toMatchObject([
      { artifact_fingerprint: makeFingerprint('a'), compliant_after: false },
    ])
  })

  it('expands a logical environment to its members', async () => {
    await putPolicy(app, 'wide', IN_FORCE)
    await prepareEnvironment('east', 'wide', 'a')
    await prepareEnvironment('west', 'wide', 'b')
    await makeEnvironment(app, 'world', { type: 'logical', included_environments: ['east', 'west'] })
    const body = await tryPolicy('wide', { policy_yaml: STRICTER, environments: ['world', 'west'] })
    const shown = body.targets.map((target: Record<string, unknown>) => [
      target.environment_name,
      target.compliant_after,
    ])
    expect(shown).toEqual([
      ['east', true],
      ['west', false],
    ])
  })

  it('warns about rules that are probably not intended', async () => {
    await putPolicy(app, 'warned', IN_FORCE)
    const policy_yaml = `${IN_FORCE}      if: \${{ flow.tags.risk != "low" }}\n`
    const { warnings } = await tryPolicy('warned', { policy_yaml })
    expect(warnings).toHaveLength(1)
    expect(warnings[0].field).toBe('policy.artifacts.attestations[0].if')
  })
})

describe('200 for a text without a name', () => {
  it('adds it to the attached policies, in every environment by default', async () => {
    await prepareEnvironment('nobodys', null, 'a', 'b')
    const all = await tryPolicy(null, { policy_yaml: STRICTER })
    const { body: listed } = await app.reader.get('/environments/acme')
    const physical = listed.filter(
      (row: { type: string; latest_snapshot_index: number }) =>
        row.type !== 'logical' && row.latest_snapshot_index > 0,
    )
    expect(all.targets.map((target: { environment_name: string }) => target.environment_name)).toEqual(
      physical.map(({ name }: { name: string }) => name),
    )
    const { targets, policy_name, summary } = await tryPolicy(null, {
      policy_yaml: STRICTER,
      environments: ['nobodys'],
    })
    expect(policy_name).toBe('draft')
    expect(targets).toMatchObject([
      {
        compliant_before: null,
        compliant_after: false,
        counts_before: { true: 0, false: 0, null: 2 },
        counts_after: { true: 1, false: 1, null: 0 },
        flips_total: 2,
      },
    ])
    expect(targets[0].flips[1].reasons_after[0]).toMatchObject({ policy_name: 'draft', policy_version: 1 })
    expect(summary).toMatchObject({ artifacts_that_would_turn_red: 1, artifacts_that_would_turn_green: 1 })
  })

  it('shows the first thousand flips of a large environment, and counts all', async () => {
    const artifacts = Array.from({ length: 1_203 }, (_, i) => ({
      digests: { [`image-${String(i).padStart(4, '0')}`]: makeFingerprint((0xe0000 + i).toString(16)) },
      creationTimestamp: 1_772_539_200,
    }))
    await app.member.put('/environments/acme', { name: 'large', type: 'server', description: '' })
    await app.member.put('/environments/acme/large/report/server', { artifacts })
    const [target] = (await tryPolicy(null, { policy_yaml: IN_FORCE, environments: ['large'] })).targets
    expect(target).toMatchObject({ artifacts: 1_203, flips_total: 1_203, counts_after: { false: 1_203 } })
    expect(target.flips).toHaveLength(1_000)
    expect(target.flips[999].artifact_name).toBe('image-0999')
  })
})

describe('400', () => {
  it('refuses what PUT refuses, with the same message', async () => {
    await putPolicy(app, 'refused', IN_FORCE)
    for (const policy_yaml of [
      'artifacts: 1',
      '',
      'a: [',
      buildPolicyRequiring('unit').replace('generic', '"*"').replace('unit', '"*"'),
    ]) {
      const put = await app.member.put('/policies/acme/refused', { policy_yaml })
      for (const name of ['refused', null]) {
        const answer = await tryText(name, { policy_yaml })
        expect(answer.status).toBe(400)
        expect(answer.body).toEqual(put.body)
      }
    }
  })

  it('refuses an expression that names no snapshot', async () => {
    const { status, body } = await tryText(null, { policy_yaml: IN_FORCE, snapshots: ['prod~x'] })
    expect(status).toBe(400)
    expect(body.message).toMatch(/^Bad snappish prod~x: a snapshot is env, env#N /)
  })

  it('refuses more than fifty snapshots and too many artifacts', async () => {
    await makeEnvironment(app, 'long')
    for (let i = 0; i < 51; i++) await report(app, 'long', i % 2 === 0 ? 'a' : 'b')
    const expressions = Array.from({ length: 51 }, (_, i) => `long~${i}`)
    const listed = await tryText(null, { policy_yaml: IN_FORCE, snapshots: expressions })
    expect(listed.status).toBe(400)
    const both = { snapshots: expressions.slice(0, 50), environments: ['nobodys'] }
    const { status, body } = await tryText(null, { policy_yaml: IN_FORCE, ...both })
    expect(status).toBe(400)
    expect(body.message).toBe('A policy can be tried on at most 50 snapshots at once; select fewer')
    expect((await tryText(null, { policy_yaml: IN_FORCE, snapshots: both.snapshots })).status).toBe(200)
    await app.sql(`update snapshots set unknown_count = 100001 where environment_id =
      (select environment_id from environments where name = 'nobodys')`)
    const large = await tryText(null, { policy_yaml: IN_FORCE, environments: ['nobodys'] })
    expect(large.status).toBe(400)
    expect(large.body.message).toMatch(
      /^A policy can be tried on at most 100000 artifacts at once, not 100001;/,
    )
  })
})

describe('404', () => {
  it('names what does not exist', async () => {
    const policy = await tryText('nothing', { policy_yaml: IN_FORCE })
    expect(policy.status).toBe(404)
    expect(policy.body).toEqual({ message: "Policy 'nothing' does not exist in organization 'acme'" })
    const readMessage = async (body: Record<string, unknown>) => {
      const answer = await tryText(null, { policy_yaml: IN_FORCE, ...body })
      expect(answer.status).toBe(404)
      return answer.body.message
    }
    const unknown = "Environment named 'none' does not exist for organization 'acme'"
    expect(await readMessage({ environments: ['none'] })).toBe(unknown)
    expect(await readMessage({ snapshots: ['none~1'] })).toBe(unknown)
    expect(await readMessage({ snapshots: ['prod~7'] })).toBe(
      "Org: 'acme'. Snapshot 'prod~7' resolves to 'prod#-6'. len(snapshots) == 1. Indexes are 1-based",
    )
    await makeEnvironment(app, 'empty')
    expect(await readMessage({ environments: ['empty'] })).toContain("Snapshot 'empty' resolves to 'empty#0'")
  })
})
