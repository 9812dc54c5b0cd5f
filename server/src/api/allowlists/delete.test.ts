import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFingerprint } from '../../../test/reports.ts'

const STRICT = '_schema: https://waybill.example/v1\nartifacts:\n  provenance:\n    required: true\n'
const FINGERPRINT = makeFingerprint('a')
const ENTRY = { artifact_fingerprint: FINGERPRINT, artifact_name: 'postgres:17', description: 'Reviewed' }

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

async function allowArtifact(name: string, more: object = {}): Promise<void> {
  await app.member.put('/environments/acme', { name, type: 'server', description: '' })
  expect((await app.member.put(`/allowlists/acme/${name}`, { ...ENTRY, ...more })).status).toBe(201)
}
const remove = (name: string, fingerprint = FINGERPRINT) =>
  app.member.delete(`/allowlists/acme/${name}/${fingerprint}`)
const readList = async (name: string, query = '') =>
  (await app.reader.get(`/allowlists/acme/${name}${query}`)).body
const notAllowListed = (name: string, fingerprint = FINGERPRINT) => ({
  message: `Artifact with fingerprint '${fingerprint}' is not allow-listed in environment '${name}'`,
})

describe('200', () => {
  it('removes the artifact from the list and keeps the entry', async () => {
    await allowArtifact('old')
    app.clock.advance(1000)
    const { status, body } = await remove('old')
    expect(status).toBe(200)
    expect(body).toBe('OK')
    expect(await readList('old')).toEqual([])
    const ended_at = app.clock.now().getTime() / 1000
    expect(await readList('old', '?include_ended=true')).toMatchObject([
      { ...ENTRY, ended_at, ended_by: 'max', is_in_force: false },
    ])
    const data = { environment_name: 'old', artifact_fingerprint: FINGERPRINT, artifact_name: 'postgres:17' }
    expect(await app.readEvents('allow_list_entry_removed')).toEqual([
      { kind: 'allow_list_entry_removed', actor: 'max', data },
    ])
  })

  it('evaluates running artifacts at once', async () => {
    await allowArtifact('evaluated')
    await app.member.put('/policies/acme/strict', { policy_yaml: STRICT })
    await app.member.post('/environments/acme/evaluated/policies', { policy_names: ['strict'] })
    const artifacts = [{ digests: { 'postgres:17': FINGERPRINT }, creationTimestamp: 1_700_000_000 }]
    await app.member.put('/environments/acme/evaluated/report/server', { artifacts })
    const read = async () => (await app.reader.get('/environments/acme/evaluated')).body
    expect(await read()).toMatchObject({ state: true, latest_snapshot_index: 1 })
    await remove('evaluated')
    expect(await read()).toMatchObject({ state: false, latest_snapshot_index: 2 })
  })

  it('ends the entry once when many requests arrive at the same time', async () => {
    await allowArtifact('raced')
    const before = (await app.readEvents('allow_list_entry_removed')).length
    const answers = await Promise.all(Array.from({ length: 16 }, () => remove('raced')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(15)
    expect(await app.readEvents('allow_list_entry_removed')).toHaveLength(before + 1)
  })
})

describe('400', () => {
  it('refuses an invalid fingerprint', async () => {
    await allowArtifact('wrong')
    const { status, body } = await remove('wrong', 'abc')
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['fingerprint'])
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s', async role => {
    await allowArtifact(`guarded-by-${role}`)
    const path = `/allowlists/acme/guarded-by-${role}/${FINGERPRINT}`
    expect((await app[role].delete(path)).status).toBe(403)
    expect(await readList(`guarded-by-${role}`)).toHaveLength(1)
  })
})

describe('404', () => {
  it('names the artifact and the environment', async () => {
    await allowArtifact('here')
    await app.member.put('/environments/acme', { name: 'there', type: 'server', description: '' })
    const before = await app.readEvents()
    for (const [name, fingerprint] of [
      ['here', makeFingerprint('b')],
      ['there', FINGERPRINT],
    ] as const) {
      const { status, body } = await remove(name, fingerprint)
      expect(status).toBe(404)
      expect(body).toEqual(notAllowListed(name, fingerprint))
    }
    expect(await app.readEvents()).toEqual(before)
  })

  it('removes once', async () => {
    await allowArtifact('once')
    await remove('once')
    const { status, body } = await remove('once')
    expect([status, body]).toEqual([404, notAllowListed('once')])
  })

  it('does not remove an expired entry', async () => {
    await allowArtifact('expired', { expires_at: app.clock.now().getTime() / 1000 + 60 })
    app.clock.advance(60_000)
    const { status, body } = await remove('expired')
    expect([status, body]).toEqual([404, notAllowListed('expired')])
  })

  it('names an environment that does not exist', async () => {
    const { status, body } = await remove('nothing')
    const message = "Environment named 'nothing' does not exist for organization 'acme'"
    expect([status, body]).toEqual([404, { message }])
  })
})
