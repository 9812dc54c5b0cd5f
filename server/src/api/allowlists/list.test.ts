import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFingerprint } from '../../../test/reports.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const name of ['b-place', 'a-place', 'gone', 'empty']) {
    await app.member.put('/environments/acme', { name, type: 'server', description: '' })
  }
  await allow('b-place', '1', 'zebra')
  await allow('b-place', '2', 'ant')
  await allow('a-place', '1', 'zebra')
  await allow('a-place', '3', 'removed')
  await app.member.delete(`/allowlists/acme/a-place/${makeFingerprint('3')}`)
  await allow('gone', '1', 'zebra')
  await app.member.put('/environments/acme/gone/archive', null)
  await app.outsider.put('/environments/other-corp', { name: 'a-place', type: 'server', description: '' })
  const theirs = {
    artifact_fingerprint: makeFingerprint('4'),
    artifact_name: 'theirs',
    description: 'theirs',
  }
  await app.outsider.put('/allowlists/other-corp/a-place', theirs)
})
afterAll(() => app.stop())

const allow = (name: string, start: string, artifact_name: string) => {
  const entry = { artifact_fingerprint: makeFingerprint(start), artifact_name, description: 'Reviewed' }
  return app.member.put(`/allowlists/acme/${name}`, entry)
}
const list = async (rest = '') => {
  const { status, body } = await app.reader.get(`/allowlists/acme${rest}`)
  expect(status).toBe(200)
  return body.map(
    (entry: { environment_name: string; artifact_name: string }) =>
      `${entry.environment_name} ${entry.artifact_name}`,
  )
}

describe('200', () => {
  it('lists active entries of all environments, by environment and name', async () => {
    expect(await list()).toEqual(['a-place zebra', 'b-place ant', 'b-place zebra'])
    expect(await list('?include_ended=false')).toHaveLength(3)
  })

  it('lists ended entries too, when asked', async () => {
    expect(await list('?include_ended=true')).toEqual([
      'a-place removed',
      'a-place zebra',
      'b-place ant',
      'b-place zebra',
    ])
  })

  it.each(['?env_name=b-place', '/b-place'])('lists one environment: %s', async rest => {
    expect(await list(rest)).toEqual(['b-place ant', 'b-place zebra'])
  })

  it('shows one environment with its history', async () => {
    const ended = { artifact_name: 'removed', ended_by: 'max', is_in_force: false }
    const { body } = await app.reader.get('/allowlists/acme/a-place?include_ended=true')
    expect(body).toMatchObject([ended, { artifact_name: 'zebra', ended_by: null, is_in_force: true }])
    expect(await list('/a-place')).toEqual(['a-place zebra'])
  })

  it('is empty when nothing is allowed', async () => {
    expect(await list('/empty')).toEqual([])
    expect(await list('?env_name=empty')).toEqual([])
  })
})

describe('400', () => {
  it.each(['', '/a-place'])('refuses an invalid query: %s', async path => {
    const { status, body } = await app.reader.get(`/allowlists/acme${path}?include_ended=perhaps`)
    expect(status).toBe(400)
    expect(Object.keys(body.errors)).toEqual(['query.include_ended'])
  })
})

describe('404', () => {
  it.each([
    ['/nothing', "Environment named 'nothing' does not exist for organization 'acme'"],
    ['?env_name=nothing', "Environment named 'nothing' does not exist for organization 'acme'"],
    ['/gone', "Environment named 'gone' has been archived for organization 'acme'"],
  ])('names the environment: %s', async (rest, message) => {
    const { status, body } = await app.reader.get(`/allowlists/acme${rest}`)
    expect(status).toBe(404)
    expect(body).toEqual({ message })
  })
})
