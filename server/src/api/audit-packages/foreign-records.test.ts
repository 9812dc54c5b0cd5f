// Whatever a package is about, only its own leaves prove it: those of another environment, trail or artifact do not.
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PackedFile, packFiles, replaceFile, unpackFiles } from '../../../test/altered-package.ts'
import { FINGERPRINT, PACKAGE, readLogKey, reportEvidence, trustLog } from '../../../test/evidenced-org.ts'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { sealAsOperator } from '../../../test/operator.ts'
import { makeBuild, makeFingerprint, nameTrail } from '../../../test/reports.ts'
import { type PackageParts, verifyPackageStream } from '../../verifier/package.ts'

const OTHER_TRAIL = '/trails/acme/ci/other/audit_package'

let app: TestApp
let parts: PackageParts
beforeAll(async () => {
  app = await startTestApp()
  await reportEvidence(app)
  parts = trustLog(await readLogKey(app))
})
afterAll(() => app.stop())

const download = async (url: string) => unpackFiles((await app.admin.get(url)).bytes ?? Buffer.alloc(0))

const verifyFiles = async (files: readonly PackedFile[]) =>
  verifyPackageStream(Readable.from([await packFiles(files)]), parts)

/** The verifier's objections although the operator has sealed the files. */
async function listProblems(files: readonly PackedFile[], scope: string): Promise<string[]> {
  const { findings } = await verifyFiles(await sealAsOperator(app, files, scope))
  const problems = findings.filter(({ level }) => level !== 'note')
  expect(problems.filter(({ code }) => code !== 'V12')).toEqual([])
  return problems.map(({ text }) => text)
}

function find(files: readonly PackedFile[], name: string | RegExp): PackedFile {
  const found = files.find(file => (typeof name === 'string' ? file.name === name : name.test(file.name)))
  if (!found) throw new Error(`there is no ${name}`)
  return found
}

const replace = (files: readonly PackedFile[], name: string, content: Buffer) =>
  files.map(file => (file.name === name ? { name, content } : file))

const read = (files: readonly PackedFile[], name: string | RegExp) =>
  JSON.parse(find(files, name).content.toString('utf8'))

const showOf = async (url: string) => {
  const { shown, verdict, findings } = await verifyFiles(await download(url))
  expect({ verdict, problems: findings.filter(({ level }) => level !== 'note') }).toEqual({
    verdict: 'shown',
    problems: [],
  })
  return (file: string) => shown.find(each => each.file === file)
}

describe('a snapshot', () => {
  it('is not proved by the leaf of another environment', async () => {
    const [prod, stage] = [await download(PACKAGE.snapshot), await download(PACKAGE.snapshot_with_policy)]
    const forged = replace(stage, 'snapshot.json', find(prod, 'snapshot.json').content)
    expect(await listProblems(forged, 'snapshot')).toContain(
      'snapshot.json: no leaf in the package proves it',
    )
  })

  it('has the id of its environment only in the package', async () => {
    const { environment_id, ...others } = read(await download(PACKAGE.snapshot), 'snapshot.json')
    expect(environment_id).toBe((await app.reader.get('/environments/acme/prod')).body.id)
    const { artifacts: _, ...sent } = (await app.reader.get('/snapshots/acme/prod/1')).body
    expect(others).toEqual(sent)
  })

  it('under another name than the recorded one has a note', async () => {
    const renamed = { new_name: 'staging' }
    expect((await app.member.put('/environments/acme/stage/rename', renamed)).status).toBe(200)
    const { verdict, findings } = await verifyFiles(await download('/snapshots/acme/staging/1/audit_package'))
    expect(verdict).toBe('shown')
    expect(findings).toContainEqual({
      code: 'V12',
      level: 'note',
      text: expect.stringMatching(
        /^snapshot\.json: leaf \d+ names the environment 'stage'; only the operator says that it is 'staging' now$/,
      ),
    })
    await app.member.put('/environments/acme/staging/rename', { new_name: 'stage' })
  })

  it('has its policies from the leaves of their versions', async () => {
    const { proved_by, operator_only } = (await showOf(PACKAGE.snapshot_with_policy))('snapshot.json') ?? {}
    expect(proved_by).toHaveLength(2)
    expect(operator_only).toContain('applied_policies.failing_artifacts')
    expect(operator_only?.filter(field => /policy_dump|name|version/.test(field))).toEqual([])
  })

  it.each([
    ['another version', '"version": 1', '"version": 2', 'applied_policies is not what'],
    ['another name', '"name": "strict"', '"name": "loose"', 'applied_policies.name is not what'],
  ])('with %s of a policy is refused', async (_, before, after, text) => {
    const files = await download(PACKAGE.snapshot_with_policy)
    const forged = replaceFile(files, 'snapshot.json', content => content.replace(before, after))
    expect(forged).not.toEqual(files)
    expect(await listProblems(forged, 'snapshot')).toContainEqual(expect.stringContaining(text))
  })

  it('with other rules of a policy says that only the operator says so', async () => {
    const files = await download(PACKAGE.snapshot_with_policy)
    const forged = replaceFile(files, 'snapshot.json', content => content.replace('"scan"', '"none"'))
    expect(forged).not.toEqual(files)
    const { shown } = await verifyFiles(await sealAsOperator(app, forged, 'snapshot'))
    expect(shown.find(({ file }) => file === 'snapshot.json')?.operator_only).toContain(
      'applied_policies.policy_dump',
    )
  })

  it('has its artifacts with their verdicts from its own leaf', async () => {
    const { proved_by, operator_only } = (await showOf(PACKAGE.snapshot))('artifacts/0001.json') ?? {}
    expect(proved_by).toHaveLength(1)
    expect(
      operator_only?.filter(field => /^(fingerprint|compliant|compliance_state|annotation)$/.test(field)),
    ).toEqual([])
    expect(operator_only).toContain('flows')
  })

  it.each([
    ['a verdict', '"UNKNOWN"', '"COMPLIANT"', `compliance_state of artifact ${FINGERPRINT} is not what`],
    ['an artifact', FINGERPRINT, makeFingerprint('b'), `artifact ${makeFingerprint('b')} is not what`],
    ['a file', /[\s\S]+/, '[]\n', 'names 1 running artifacts that are not in the package'],
    [
      'a key twice',
      '"compliant"',
      '"compliant": true,\n    "compliant"',
      'is not written as Waybill writes it',
    ],
  ] as const)('with %s changed in its artifacts is refused', async (_, before, after, text) => {
    const files = await download(PACKAGE.snapshot)
    const forged = replaceFile(files, /^artifacts\//, content => content.replace(before, after))
    expect(forged).not.toEqual(files)
    expect(await listProblems(forged, 'snapshot')).toContainEqual(expect.stringContaining(text))
  })
})

describe('a trail', () => {
  /** All leaves of the organization, with one checkpoint. */
  const packTrail = async (...attestations: PackedFile[]) => [
    ...(await download(PACKAGE.organization)).filter(({ name }) => name !== 'events.json'),
    find(await download(PACKAGE.trail), 'trail.json'),
    ...attestations,
  ]

  it('has its evidence', async () => {
    const own = find(await download(PACKAGE.trail), /^attestations\/tests/)
    const problems = await listProblems(await packTrail(own), 'trail')
    expect(problems.filter(text => text.includes('is not what'))).toEqual([])
  })

  it('does not have the evidence of another trail', async () => {
    const foreign = find(await download(OTHER_TRAIL), /^attestations\/foreign/)
    const [renamed = foreign] = replaceFile([foreign], /./, text => text.replaceAll('other', 'run'))
    expect(await listProblems(await packTrail(renamed), 'trail')).toContainEqual(
      expect.stringMatching(/^attestations\/foreign-.*: trail is not what leaf \d+ recorded$/),
    )
  })

  it.each([
    ['name', '"name": "run"', '"name": "run2"'],
    ['created_by', '"created_by": "max"', '"created_by": "ada"'],
  ])('with another %s is refused', async (field, before, after) => {
    const files = await download(PACKAGE.trail)
    const forged = replaceFile(files, 'trail.json', text => text.replace(before, after))
    expect(forged).not.toEqual(files)
    expect(await listProblems(forged, 'trail')).toContainEqual(
      expect.stringContaining(`trail.json: ${field} is not`),
    )
  })

  it('whose record is not in its package is not shown', async () => {
    const files = (await download(PACKAGE.trail)).filter(({ name }) => name !== 'trail.json')
    expect(await listProblems(files, 'trail')).toEqual([
      'the package is about the trail, and trail.json is not in it',
    ])
  })
})

describe('an artifact', () => {
  it('has its reports from their leaves', async () => {
    const { proved_by, operator_only } = (await showOf(PACKAGE.artifact))('artifact.json') ?? {}
    expect(proved_by).toHaveLength(1)
    for (const field of ['fingerprint', 'git_commit', 'build_url', 'reports.reported_by'])
      expect(operator_only).not.toContain(field)
    for (const field of ['state', 'running']) expect(operator_only).toContain(field)
  })

  it.each([
    ['build_url', /("build_url": ")[^"]+/, '$1https://elsewhere.example'],
    ['reported_by', '"reported_by": "max"', '"reported_by": "ada"'],
    ['fingerprint', FINGERPRINT, makeFingerprint('b')],
  ] as const)('with another %s is refused', async (field, before, after) => {
    const files = await download(PACKAGE.artifact)
    const forged = replaceFile(files, 'artifact.json', text => text.replace(before, after))
    expect(forged).not.toEqual(files)
    expect(await listProblems(forged, 'artifact')).toContainEqual(
      expect.stringContaining(`artifact.json: ${field} of`),
    )
  })

  it('does not have the evidence of another artifact or trail', async () => {
    await app.member.post('/artifacts/acme/ci', makeBuild(makeFingerprint('b'), nameTrail('other')))
    await app.member.post('/attestations/acme/ci/trail/other/generic', {
      attestation_name: 'other-scan',
      artifact_fingerprint: makeFingerprint('b'),
      is_compliant: true,
    })
    const other = await download(PACKAGE.artifact.replace(FINGERPRINT, makeFingerprint('b')))
    const forged = [
      ...(await download(PACKAGE.organization)).filter(({ name }) => name !== 'events.json'),
      find(await download(PACKAGE.artifact), 'artifact.json'),
      find(other, /^attestations\/other-scan/),
    ]
    const problems = (await listProblems(forged, 'artifact')).filter(text => text.startsWith('attestations/'))
    expect(problems.map(text => text.replace(/^.*json: /, ''))).toEqual([
      expect.stringMatching(/^trail is not what leaf/),
      expect.stringMatching(/^artifact is not what leaf/),
    ])
  })
})
