import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

const readZones = async () =>
  (await app.sql('select name, time_zone from users where time_zone is not null')).map(
    ({ name, time_zone }) => `${name} ${time_zone}`,
  )

describe('200', () => {
  it('changes the time zone of the caller only, and records nothing', async () => {
    const before = (await app.readEvents()).length
    for (const time_zone of ['utc', 'utc', 'local', 'utc'])
      expect((await app.reader.put('/user/settings/time-zone', { time_zone })).status).toBe(200)
    expect(await readZones()).toEqual(['rita utc'])
    expect(await app.readEvents()).toHaveLength(before)
  })
})

describe('400', () => {
  it.each([[{ time_zone: 'Mars' }], [{ time_zone: null }], [{}]])('refuses %j', async body => {
    const answer = await app.member.put('/user/settings/time-zone', body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.errors)).toEqual(['time_zone'])
    expect(await readZones()).toEqual(['rita utc'])
  })
})

describe('401', () => {
  it('is for people who are known', async () => {
    expect((await app.anonymous.put('/user/settings/time-zone', { time_zone: 'utc' })).status).toBe(401)
  })
})
