import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createNotification,
  makeBody,
  makeWebhook,
  startAppWithEnvironments,
} from '../../../test/environment-notifications.ts'
import type { TestApp } from '../../../test/harness.ts'

const PATH = '/organizations/acme/environments_notifications'

let app: TestApp
beforeAll(async () => {
  app = await startAppWithEnvironments()
})
afterAll(() => app.stop())

const create = (name: string, targets: unknown[]) => createNotification(app, name, targets)

describe('an archived environment', () => {
  it('is removed from the notifications that name it', async () => {
    await app.member.put('/environments/acme', { name: 'leaving', type: 'K8S' })
    const environments = ['leaving', 'prod']
    const both = (await app.admin.put(PATH, makeBody('both', [makeWebhook('a')], { environments }))).body
    const only = (
      await app.admin.put(PATH, makeBody('only', [makeWebhook('a')], { environments: ['leaving'] }))
    ).body
    const without = await create('without', [makeWebhook('a')])
    app.clock.advance(7000)
    expect((await app.member.put('/environments/acme/leaving/archive')).status).toBe(200)
    const read = async (number: number) => (await app.reader.get(`${PATH}/${number}`)).body
    const later = both.created_at + 7
    expect(await read(both.number)).toMatchObject({ environments: ['prod'], last_modified_at: later })
    expect(await read(only.number)).toMatchObject({ environments: [], last_modified_at: later })
    expect(await read(without)).toMatchObject({ environments: ['prod'], last_modified_at: both.created_at })
    await app.member.put('/environments/acme', { name: 'leaving', type: 'K8S' })
    expect((await read(both.number)).environments).toEqual(['prod'])
  })

  it('is in no notification, even if one is changed concurrently', async () => {
    const numbers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => create(`race-${i}`, [makeWebhook('a')])),
    )
    for (let round = 0; round < 5; round++) {
      await app.member.put('/environments/acme', { name: 'racing', type: 'K8S' })
      const environments = [['racing', 'prod'], ['prod'], ['racing', 'staging']]
      const changes = numbers.map((number, i) =>
        app.member.put(
          `${PATH}/${number}`,
          makeBody(`race-${i}-${round}`, [makeWebhook('a')], { environments: environments[i % 3] }),
        ),
      )
      const archived = app.member.put('/environments/acme/racing/archive')
      for (const { status } of await Promise.all([...changes, archived])) expect([200, 400]).toContain(status)
      const left = await app.sql(
        `select * from notification_environments join environments using (org_id, environment_id) where archived_at is not null`,
      )
      expect(left).toEqual([])
    }
  })
})
