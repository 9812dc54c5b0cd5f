// Archiving hides and never deletes: archived resources can be listed, read with everything below them, and restored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attach, buildImageName, makeEnvironment, putPolicy, report } from './environments.ts'
import { makeFile, startTestApp, type TestApp } from './harness.ts'
import { makeBuild, makeFingerprint, makeFlow, nameTrail, SHA } from './reports.ts'

const POLICY = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
const FINGERPRINT = makeFingerprint('ab')

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'gone')
  await makeFlow(app, 'kept')
  await app.member.post(
    '/artifacts/acme/gone',
    makeBuild(FINGERPRINT, { ...nameTrail('run-1'), filename: buildImageName('ab') }),
  )
  await app.member.form('POST', '/attestations/acme/gone/trail/run-1/generic', {
    data_json: JSON.stringify({
      attestation_name: 'scan',
      artifact_fingerprint: FINGERPRINT,
      is_compliant: true,
    }),
    attachment_file: makeFile('evidence'),
  })
  await makeEnvironment(app, 'old')
  await putPolicy(app, 'needs-provenance', POLICY)
  await attach(app, 'old', 'needs-provenance')
  await report(app, 'old', 'ab')
  await app.member.post('/custom-attestation-types/acme', { name: 'load', description: 'kept' })
  await putPolicy(app, 'unused', POLICY)
})
afterAll(() => app.stop())

async function readAttestationId(): Promise<string> {
  const { body } = await app.reader.get('/attestations/acme/gone/trail/run-1/scan?archived=true')
  return body[0].attestation_id
}

interface Resource {
  list: string
  path: string
  archiver: 'member' | 'admin'
  namesIn: (body: never) => string[]
  kinds: [string, string]
}

const listNames = (body: { name: string }[]) => body.map(({ name }) => name)
const RESOURCES: [string, Resource][] = [
  [
    'flow',
    {
      list: '/flows/acme',
      path: '/flows/acme/gone',
      archiver: 'member',
      namesIn: listNames,
      kinds: ['flow_archived', 'flow_unarchived'],
    },
  ],
  [
    'environment',
    {
      list: '/environments/acme',
      path: '/environments/acme/old',
      archiver: 'member',
      namesIn: listNames,
      kinds: ['environment_archived', 'environment_unarchived'],
    },
  ],
  [
    'policy',
    {
      list: '/policies/acme',
      path: '/policies/acme/unused',
      archiver: 'admin',
      namesIn: listNames,
      kinds: ['policy_archived', 'policy_unarchived'],
    },
  ],
  [
    'custom attestation type',
    {
      list: '/custom-attestation-types/acme',
      path: '/custom-attestation-types/acme/load',
      archiver: 'member',
      namesIn: listNames,
      kinds: ['custom_type_archived', 'custom_type_unarchived'],
    },
  ],
]

describe.each(RESOURCES)('a %s that is archived', (_, { list, path, archiver, namesIn, kinds }) => {
  const name = path.split('/').at(-1)

  it('is listed with `archived=true` only, and counted in a header', async () => {
    const before = (await app.reader.get(list)).body
    expect((await app[archiver].put(`${path}/archive`)).status).toBe(200)
    const { body, headers } = await app.reader.get(list)
    expect(namesIn(body as never)).toEqual(namesIn(before as never).filter(one => one !== name))
    expect(headers['waybill-archived-count']).toBe('1')
    const archived = await app.reader.get(`${list}?archived=true`)
    expect(namesIn(archived.body as never)).toEqual([name])
    expect(archived.headers['waybill-archived-count']).toBeUndefined()
    expect((await app.reader.get(`${list}?archived=perhaps`)).status).toBe(400)
  })

  it('is returned with `archived=true`, and marked as archived', async () => {
    expect((await app.reader.get(`${path}?archived=true`)).body).toMatchObject({ name, archived: true })
  })

  it('is restored unchanged, once, and only by a role that may archive it', async () => {
    expect((await app.snapshotter.put(`${path}/unarchive`)).status).toBe(403)
    expect((await app[archiver].put(`${path}/unarchive`)).body).toBe('OK')
    expect((await app.reader.get(path)).body).toMatchObject({ name, archived: false })
    expect((await app[archiver].put(`${path}/unarchive`)).status).toBe(200)
    expect(await app.readEvents(kinds[0])).toHaveLength(1)
    expect(await app.readEvents(kinds[1])).toHaveLength(1)
    expect((await app[archiver].put(`${list}/no-such-thing/unarchive`)).status).toBe(404)
    expect((await app.reader.get(list)).headers['waybill-archived-count']).toBe('0')
  })
})

describe('everything below an archived flow', () => {
  const listPathsBelow = async () => [
    '/trails/acme/gone/run-1',
    `/artifacts/acme/gone/fingerprint/${FINGERPRINT}`,
    `/artifacts/acme/gone/commit_sha/${SHA}`,
    `/artifacts/acme/gone/${FINGERPRINT}/latest_commit`,
    '/attestations/acme/gone/trail/run-1/scan',
    `/attestations/acme/gone/artifact/${FINGERPRINT}/scan`,
    '/trails/acme/gone/run-1/audit_package',
    `/artifacts/acme/gone/fingerprint/${FINGERPRINT}/audit_package`,
    '/trails/acme?flow=gone',
    '/artifacts/acme?flow_name=gone',
    '/deployments/acme?flow_name=gone',
  ]
  beforeAll(() => app.member.put('/flows/acme/gone/archive'))
  afterAll(() => app.member.put('/flows/acme/gone/unarchive'))

  it('is hidden, and the error says that the flow is archived', async () => {
    for (const path of await listPathsBelow()) {
      const { status, body } = await app.reader.get(path)
      expect([status, body.message], path).toEqual([
        404,
        "Flow named 'gone' has been archived for organization 'acme'",
      ])
    }
  })

  it('is returned with `archived=true`, marked as archived', async () => {
    for (const path of await listPathsBelow()) {
      const answer = await app.reader.get(`${path}${path.includes('?') ? '&' : '?'}archived=true`)
      expect(answer.status, path).toBe(200)
    }
    expect((await app.reader.get('/trails/acme/gone/run-1?archived=true')).body.archived).toBe(true)
    const artifact = await app.reader.get(`/artifacts/acme/gone/fingerprint/${FINGERPRINT}?archived=true`)
    expect(artifact.body).toMatchObject({ archived: true, running: [{ environment_name: 'old' }] })
    const path = `/attestations/acme/gone/trail/run-1/attestation/${await readAttestationId()}/evidence`
    expect((await app.reader.get(`${path}?archived=true`)).text).toBe('evidence')
  })

  it('is in the lists of archived resources', async () => {
    expect((await app.reader.get('/trails/acme')).body.data).toEqual([])
    expect((await app.reader.get('/trails/acme?archived=true')).body.data).toMatchObject([
      { name: 'run-1', archived: true },
    ])
    expect((await app.reader.get('/artifacts/acme')).body).toEqual([])
    expect((await app.reader.get('/artifacts/acme?archived=true')).body).toMatchObject([
      { fingerprint: FINGERPRINT, archived: true },
    ])
    expect((await app.reader.get('/attestations/acme')).body.data).toEqual([])
    expect((await app.reader.get('/attestations/acme?archived=true')).body.data).toMatchObject([
      { attestation_name: 'scan' },
    ])
  })

  it('is found by the search, whose links open it', async () => {
    const { body } = await app.reader.get(`/search/acme/sha/${FINGERPRINT}`)
    expect(body.artifacts).toMatchObject([{ flow: 'gone', archived: true }])
  })

  it('accepts nothing new', async () => {
    expect((await app.member.put('/trails/acme/gone', { name: 'run-2' })).status).toBe(404)
    expect(
      (await app.member.post('/artifacts/acme/gone', makeBuild(makeFingerprint('cd'), nameTrail('run-2'))))
        .status,
    ).toBe(404)
    const attestation = { attestation_name: 'late', is_compliant: true }
    const path = '/attestations/acme/gone/trail/run-1/generic'
    expect((await app.member.post(path, attestation)).status).toBe(404)
    expect((await app.member.put('/flows/acme/gone/rename', { new_name: 'other' })).status).toBe(404)
  })

  it('still counts for running artifacts: the gate, the snapshot and the page agree', async () => {
    const { artifacts, compliant } = (await app.reader.get('/snapshots/acme/old/-1')).body
    expect(compliant).toBe(true)
    expect(artifacts).toMatchObject([{ fingerprint: FINGERPRINT, flow_name: 'gone' }])
    expect((await app.reader.get(`/asserts/acme/fingerprint/${FINGERPRINT}`)).body.compliant).toBe(true)
  })
})

describe('everything below an archived environment', () => {
  const BELOW = [
    '/environments/acme/old/compliance',
    '/environments/acme/old/timeline',
    '/environments/acme/old/policy-changes',
    '/coverage-trends/acme?env_name=old',
    '/environments/acme/old/events',
    '/environments/acme/old/auditlog',
    '/environments/acme/old/deployments',
    '/environments/acme/old/deployment_frequency',
    '/snapshots/acme/old',
    '/snapshots/acme/old/1',
    '/snapshots/acme/old/1/artifacts',
    '/env-diff/acme?snappish1=old&snappish2=old',
    `/deployments/acme/old/${FINGERPRINT}`,
    '/deployments/acme?env_name=old',
    '/allowlists/acme/old',
  ]
  beforeAll(() => app.member.put('/environments/acme/old/archive'))
  afterAll(() => app.member.put('/environments/acme/old/unarchive'))

  it.each(BELOW)('%s responds only with `archived=true`', async path => {
    const hidden = await app.reader.get(path)
    expect([hidden.status, hidden.body.message]).toEqual([
      404,
      "Environment named 'old' has been archived for organization 'acme'",
    ])
    const shown = await app.reader.get(`${path}${path.includes('?') ? '&' : '?'}archived=true`)
    expect(shown.status).toBe(200)
  })

  it('is read by its id, too', async () => {
    const { id } = (await app.reader.get('/environments/acme/old?archived=true')).body
    expect((await app.reader.get(`/environments/acme/${id}`)).body).toMatchObject({
      name: 'old',
      archived: true,
    })
    expect((await app.reader.get(`/snapshots/acme/${id}/1`)).status).toBe(200)
    expect((await app.outsider.get(`/environments/other-corp/${id}`)).status).toBe(404)
  })
})

describe('a PUT of an archived name with another type', () => {
  it('makes a new environment with its own id and numbers; the old one stays readable by id', async () => {
    await app.snapshotter.put('/environments/acme', { name: 'moved', type: 'server', description: 'cluster' })
    await app.member.patch('/tags/acme/env/moved', { set_tags: { team: 'blue' } })
    const artifacts = [{ digests: { web: makeFingerprint('ee') }, creationTimestamp: 1 }]
    await app.snapshotter.put('/environments/acme/moved/report/server', { artifacts })
    const old = (await app.reader.get('/environments/acme/moved')).body
    await app.member.put('/environments/acme/moved/archive')
    const put = await app.snapshotter.put('/environments/acme', { name: 'moved', type: 'docker' })
    expect(put.status).toBe(201)
    const made = (await app.reader.get('/environments/acme/moved')).body
    expect(made).toMatchObject({
      type: 'docker',
      description: '',
      tags: {},
      latest_snapshot_index: 0,
      archived: false,
    })
    expect(made.id).not.toBe(old.id)
    const kept = (await app.reader.get(`/environments/acme/${old.id}`)).body
    expect(kept).toMatchObject({
      type: 'server',
      latest_snapshot_index: 1,
      tags: { team: 'blue' },
      archived: true,
    })
    expect(kept.name).toMatch(/^moved-archived-at-/)
    expect((await app.reader.get(`/snapshots/acme/${old.id}/1`)).body.artifacts).toHaveLength(1)
    await app.snapshotter.put('/environments/acme/moved/report/docker', { artifacts: [] })
    expect((await app.reader.get('/snapshots/acme/moved/-1')).body).toMatchObject({ index: 1, artifacts: [] })
  })

  it('is refused while the environment is not archived', async () => {
    await app.snapshotter.put('/environments/acme', { name: 'fixed', type: 'S3' })
    const { status, body } = await app.snapshotter.put('/environments/acme', {
      name: 'fixed',
      type: 'lambda',
    })
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      type: "The environment 'fixed' is of type 'S3' and cannot become 'lambda'",
    })
  })
})

describe('a policy and a custom type that are sent again', () => {
  it('are restored with the content that was sent', async () => {
    await app.admin.put('/policies/acme/unused', { policy_yaml: POLICY, description: 'old' })
    await app.admin.put('/policies/acme/unused/archive')
    await app.admin.put('/policies/acme/unused', { policy_yaml: POLICY })
    expect((await app.reader.get('/policies/acme/unused')).body).toMatchObject({
      archived: false,
      description: '',
    })
    await app.member.put('/custom-attestation-types/acme/load/archive')
    await app.member.post('/custom-attestation-types/acme', { name: 'load' })
    const { body } = await app.reader.get('/custom-attestation-types/acme/load')
    expect(body.archived).toBe(false)
    expect(body.description ?? '').toBe('')
    const revived = [
      ...(await app.readEvents('policy_updated')),
      ...(await app.readEvents('custom_type_updated')),
    ]
    expect(revived.filter(({ data }) => data.revived)).toHaveLength(2)
  })
})
