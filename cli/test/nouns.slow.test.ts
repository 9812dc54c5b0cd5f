// The commands that mirror the API, in order, against a real service. `npm run conformance -- waybill` covers
// the main flow; this file covers the rest.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PRESETS as EVIDENCE_PRESETS } from '../../packages/evidence-files/src/presets.ts'
import {
  attach,
  buildPodReport,
  buildPolicyRequiring,
  makeEnvironment,
  putPolicy,
  report,
} from '../../server/test/environments.ts'
import { makeBuild, makeFingerprint, nameTrail, SHA } from '../../server/test/reports.ts'
import { PRESETS } from '../src/commands/attestation-types.ts'
import { serveCli } from './served-cli.ts'

const FINGERPRINT = makeFingerprint('ab')

const served = serveCli({ role: 'admin' }, async ({ app, cli }) => {
  writeFileSync(join(cli.folder, 'policy.yml'), buildPolicyRequiring('pen-test'))
  writeFileSync(join(cli.folder, 'wrong.yml'), '_schema: https://waybill.example/v1\nartefacts: {}\n')
  writeFileSync(join(cli.folder, 'template.yml'), 'version: 1\n')
  writeFileSync(join(cli.folder, 'schema.json'), '{"type": "object"}')
  await cli.run('create flow build --use-empty-template')
  await app.member.put('/trails/acme/build', { name: 'run-1' })
  await app.member.post('/artifacts/acme/build', makeBuild(FINGERPRINT, nameTrail('run-1')))
  await cli.run('create environment prod --type K8S --include-scaling --expected-report-interval 3600')
  await report(app, 'prod', 'ab')
  await app.evaluate()
})

async function expectDone(line: string) {
  const ran = await served.cli.run(line)
  expect(ran, `${line}: ${ran.stderr}`).toMatchObject({ code: 0 })
  return ran.stdout
}

describe('a command', () => {
  it.each([
    ['get environment prod', /^State: +UNKNOWN \(no policies\)$/m],
    ['list environments --state unknown', /^prod +K8S +UNKNOWN/m],
    ['get env prod --quiet', /^prod\n$/],
    ['list flows --quiet', /^build\n$/],
    ['list flows --jq .[].name', /^build\n$/],
    ['flows list', /^build /m],
    ['get snapshot prod', /^registry\.example\.com\/ab:1 +abbbbbbbbbbb/m],
    ['list snapshots prod', /^1 +\S+ \S+ +now +UNKNOWN \(no policies\)/m],
    ['diff prod prod', /^No differences\n$/],
    ['log env prod', /started/],
    ['policy lint policy.yml', /^policy\.yml is valid\n$/],
    ['template lint template.yml', /^template\.yml is valid\n$/],
    ['policy try policy.yml --snapshot prod', /^prod#1 +UNKNOWN +NON-COMPLIANT +1 +1$/m],
    ['create policy strict policy.yml --comment first', /^Policy strict was created\n$/],
    ['policy try policy.yml --name strict --environment prod', /would become non-compliant: 1/],
    ['archive policy strict', /^Policy strict was archived\n$/],
    ['list policies', /^No policies\n$/],
    ['unarchive policy strict', /^Policy strict is active again\n$/],
    ['get policy strict', /^Version: +1$/m],
    [
      'create attestation-type cov --schema schema.json --jq .ok --summary Lines=.lines',
      /^Attestation type cov was created/,
    ],
    ['get attestation-type cov', /^Rules: +\.ok$/m],
    ['create attestation-type sarif --from-preset sarif', /^Attestation type sarif was created/],
    ['get attestation-type sarif', /^Description: +.*SARIF/m],
    [
      "create attestation-type lax --from-preset sarif --jq true --description 'of ours'",
      /^Attestation type lax was created/,
    ],
    ['get attestation-type lax', /^Description: +of ours$[\s\S]*^Rules: +true$[\s\S]*^Schema: +\{/m],
    ['archive attestation-type cov', /was archived/],
    ['unarchive attestation-type cov', /is active again/],
    ['archive flow build', /^Flow build was archived/],
    ['unarchive flow build', /^Flow build is active again/],
    ['archive env prod', /^Environment prod was archived/],
    ['unarchive env prod', /^Environment prod is active again/],
    ['get trail run-1 --flow build', /^State: +COMPLIANT$/m],
    ['get trail run-1 --flow build --output markdown', /^## build: run\\-1\n\n\*\*COMPLIANT\*\*/],
    ['list trails --state COMPLIANT --name run', /^run-1 +build +COMPLIANT/m],
    [`get artifact build@${FINGERPRINT}`, /^Runs in: +prod#1$/m],
    [`get artifact build:${SHA}`, /^Trail: +run-1$/m],
    ['list artifacts --state COMPLIANT --quiet', new RegExp(`^${FINGERPRINT}\n$`)],
    [`search ${SHA.slice(0, 7)}`, /^image:1 +abbbbbbbbbbb +build/m],
    ['get attestation none --flow build --trail run-1', /^No attestations\n$/],
    ['list decisions', /^No decisions are waiting\n$/],
    [
      "create control C-1 --name 'Code is reviewed' --link law=https://example.com",
      /^Control C-1 was created/,
    ],
    ['list control-decisions C-1', /^No decisions about C-1\n$/],
    ['tag control C-1 --set tier=1', /^Tags of control C-1 were changed/],
    ['get control C-1', /^Tags: +tier=1$/m],
    ['list api-keys', /^ID +DESCRIPTION/],
    ['create api-key --description mine --expires-at 2030-01-01T12:00 --quiet', /^wb_user_/],
    ['completion bash', /complete -o default -F _waybill waybill\n$/],
    ['completion zsh', /^#compdef waybill\n/],
    ['completion fish', /-a flows -d 'list the flows of an organization'\n/],
  ])('%s prints its answer and nothing else', async (line, printed) => {
    const ran = await served.cli.run(line)
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(printed)
  })

  it.each([['policy lint wrong.yml', 'wrong.yml is not valid\npolicy.artefacts: line 2, column 1']])(
    '%s lists problems',
    async (line, printed) => {
      const ran = await served.cli.run(line)
      expect(ran.code).toBe(2)
      expect(ran.stdout).toContain(printed)
    },
  )

  it.each([
    ['policy lint gone.yml', 'The file gone.yml does not exist'],
    ['tag policy strict --set a=b', '"policy" cannot have tags'],
    ['tag flow build', 'There is no tag to set or remove'],
    ['tag flow build --set a=b --provider github', '--provider and --repo-id are for repositories only'],
    ['get repo', 'A repository is named by its name or by --repo-id'],
    ['get artifact build', '"build" names no artifact'],
    ['get attestation', 'No attestation was named'],
    ['get attestation x --flow build', 'An attestation is about a trail or an artifact'],
    ['get attestation x --attestation-id y', '--attestation-id stands alone'],
    ['update control C-1', 'There is nothing to change'],
    ['update service-account x', 'There is nothing to change'],
    ['list repos --name a --search b', '--name and --search exclude each other'],
    ['create environment x --type server --include-scaling --exclude-scaling', 'exclude each other'],
    ['create attestation-type x --from-preset sarif --schema schema.json', 'exclude each other'],
    ['create attestation-type x --from-preset other', '--from-preset'],
    ["create attestation-type x --summary a=.a --summary-json '[]'", 'exclude each other'],
    ['create attestation-type x --summary-json nothing', '--summary-json is not valid JSON'],
    ['create api-key --description x --expires-at tomorrow', '--expires-at: "tomorrow" is not a time'],
    ['create api-key --description x --service-account y --org=', '--org is empty'],
    ['completion powershell', 'There is no completion for "powershell"'],
    ['get flow build --output markdown', '--output: this command has no markdown'],
    ['list flows --jq .[', '--jq: '],
    ['lst flows', 'Unknown command "lst flows"'],
  ])('%s is refused', async (line, message) => {
    const ran = await served.cli.run(line)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  it('prints the JSON of the API unchanged', async () => {
    for (const [line, path] of [
      ['get environment prod', '/environments/acme/prod'],
      ['list trails', '/trails/acme'],
      ['get policy strict', '/policies/acme/strict'],
    ] as const)
      expect(JSON.parse(await expectDone(`${line} --output json`))).toEqual(
        (await served.app.admin.get(path)).body,
      )
  })
})

describe('create attestation-type --from-preset', () => {
  it('has every preset, and each creates a type that accepts the output of the command with its name', async () => {
    expect([...PRESETS]).toEqual(EVIDENCE_PRESETS.map(({ name }) => name))
    for (const { name, rules, schema, summary } of EVIDENCE_PRESETS) {
      await expectDone(`create attestation-type ${name}-2 --from-preset ${name}`)
      const { versions } = (await served.app.admin.get(`/custom-attestation-types/acme/${name}-2`)).body
      expect(versions[0]).toMatchObject({ evaluator: { rules }, summary, type_schema: schema })
    }
  })
})

describe('diff', () => {
  const reportImage = (tag: string, start: string) =>
    served.app.snapshotter.put('/environments/acme/shop/report/K8S', {
      artifacts: [
        {
          podName: 'pod',
          namespace: 'default',
          digests: { [`registry.example.com/shop:${tag}`]: makeFingerprint(start) },
          creationTimestamp: 1_772_539_200,
          owners: null,
        },
      ],
    })

  it('pairs versions, and is a gate only with a flag', async () => {
    await served.cli.run('create environment shop --type K8S')
    await reportImage('1.0', '01')
    await reportImage('1.1', '02')
    expect(await expectDone('diff shop~1 shop')).toBe(
      'CHANGE   ARTIFACT                   shop#1  shop#2  FLOW  CODE\n' +
        'updated  registry.example.com/shop  1.0     1.1     -     -\n',
    )
    expect(await served.cli.run('diff shop~1 shop --exit-code')).toMatchObject({ code: 4 })
    expect(await served.cli.run("diff 'shop#2' shop --exit-code")).toMatchObject({ code: 0 })
    expect(await expectDone('diff shop shop --show-unchanged')).toMatch(/^unchanged +registry/m)
    const { body } = await served.app.admin.get('/env-diff/acme?snappish1=shop~1&snappish2=shop')
    expect(JSON.parse(await expectDone('diff shop~1 shop -o json'))).toEqual(body)
  })

  it.each([
    ['a snapshot that does not exist', "diff 'shop#9' shop", 6],
    ['no environment', 'diff ~1 shop', 2],
  ])('refuses %s', async (_, line, code) => {
    expect(await served.cli.run(line)).toMatchObject({ code, stdout: '' })
  })
})

describe('list environments', () => {
  it('goes by what is known now: a verdict that waits to be evaluated again is unknown', async () => {
    const { app } = served
    await putPolicy(app, 'lenient', '_schema: https://waybill.example/v1\n')
    for (const name of ['a-known', 'overdue']) {
      await makeEnvironment(app, name, { expected_report_interval: null })
      await attach(app, name, 'lenient')
      await report(app, name, 'ab')
    }
    await app.evaluate()
    await app.sql(
      `insert into pending_judgements (org_id, environment_id, cause, actor, marked_at)
       select org_id, environment_id, 'evidence', 'ci', $1::timestamptz - interval '2 minutes'
       from environments where name = 'overdue'`,
      [app.clock.now()],
    )
    expect(await expectDone('list environments --state compliant --quiet')).toBe('a-known\n')
    expect(await expectDone('list environments --state unknown')).toMatch(
      /^overdue +K8S +UNKNOWN \(not evaluated\)/m,
    )
    const all = (await expectDone('list environments --sort urgency --quiet')).trim().split('\n')
    expect(all.at(-1)).toBe('a-known')
  })
})

describe('list late-reports', () => {
  it('shows when each was observed, and the newest report at that time', async () => {
    await served.cli.run('create environment late --type K8S')
    expect(await expectDone('list late-reports late')).toBe('No late reports of late\n')
    const now = served.app.clock.now().getTime() / 1000
    const send = (start: string, observed_at: number) =>
      served.app.snapshotter.put('/environments/acme/late/report/K8S', {
        ...buildPodReport(start),
        observed_at,
      })
    await send('aa', now - 60)
    await send('bb', now - 120)
    await send('cc', now - 180)
    const rows = (await expectDone('list late-reports late')).trim().split('\n')
    expect(rows).toHaveLength(3)
    expect(rows[0]).toMatch(/^OBSERVED +RECEIVED +NEWEST THEN/)
    expect(JSON.parse(await expectDone('list late-reports late -o json -n 1'))).toMatchObject([
      { observed_at: now - 120, newest_at: now - 60, artifact_count: 1, reported_by: 'sam' },
    ])
    expect(await served.cli.run('list late-reports nowhere')).toMatchObject({ code: 6, stdout: '' })
  })
})
