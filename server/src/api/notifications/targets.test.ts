import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createNotification,
  makeBody,
  makeWebhook,
  ORIGIN,
  startAppWithEnvironments,
} from '../../../test/environment-notifications.ts'
import type { TestApp } from '../../../test/harness.ts'
import { readCurrentTargets } from '../../../test/notification-targets.ts'

const PATH = '/organizations/acme/environments_notifications'
const DAY_S = 86_400
const makeSecret = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`

let app: TestApp
beforeAll(async () => {
  app = await startAppWithEnvironments()
})
afterAll(() => app.stop())

const create = (name: string, targets: unknown[]) => createNotification(app, name, targets)

describe('the secret', () => {
  it('stays if omitted, keeps signing for a day after it is replaced, and is removed with null', async () => {
    const number = await create('signed', [makeWebhook('s', { secret: makeSecret(1) })])
    const put = async (more: object) => {
      const { body } = await app.admin.put(`${PATH}/${number}`, makeBody('signed', [makeWebhook('s', more)]))
      const [row] = await readCurrentTargets(app, number)
      return { is_signed: body.targets[0].is_signed, row, secrets: [row?.secret, row?.old_secret] }
    }
    expect(await put({})).toMatchObject({ is_signed: true, secrets: [makeSecret(1), undefined] })
    const second = await put({ secret: makeSecret(2) })
    expect(second.secrets).toEqual([makeSecret(2), makeSecret(1)])
    const until = second.row?.old_secret_until as Date
    expect((until.getTime() - app.clock.now().getTime()) / 1000).toBe(DAY_S)
    app.clock.advance(1000)
    // Sending the same secret again is not a change and does not drop the first one.
    expect(await put({ secret: makeSecret(2) })).toMatchObject({ row: { old_secret_until: until } })
    expect((await put({})).secrets).toEqual([makeSecret(2), makeSecret(1)])
    expect(await put({ secret: null })).toMatchObject({
      is_signed: false,
      secrets: [undefined, undefined],
      row: { old_secret_until: null },
    })
    expect((await put({ secret: makeSecret(3) })).secrets).toEqual([makeSecret(3), undefined])
  })

  it('does not carry over to another address', async () => {
    const number = await create('moved', [makeWebhook('one', { secret: makeSecret(1) })])
    const { body } = await app.admin.put(`${PATH}/${number}`, makeBody('moved', [makeWebhook('two')]))
    expect(body.targets).toMatchObject([{ webhook: `${ORIGIN}/two`, is_signed: false }])
  })
})

describe('a target as a member has read it', () => {
  it('can be written back and keeps the address', async () => {
    const number = await create('masked', [makeWebhook('secret/path', { secret: makeSecret(1) })])
    const [before] = await readCurrentTargets(app, number)
    const [target] = (await app.member.get(`${PATH}/${number}`)).body.targets
    expect(target).not.toHaveProperty('webhook')
    const read = target.webhook_origin
    expect(read).toBe(ORIGIN)
    const triggers = ['ON_COMPLIANT_ENV']
    const back = makeBody('masked', [{ type: 'WEBHOOK', webhook: read }], { triggers })
    expect((await app.member.put(`${PATH}/${number}`, back)).body).toMatchObject({
      triggers,
      targets: [{ webhook_origin: ORIGIN }],
    })
    expect((await app.admin.get(`${PATH}/${number}`)).body.targets[0].webhook).toBe(`${ORIGIN}/secret/path`)
    expect((await readCurrentTargets(app, number))[0]).toMatchObject({
      target_id: before?.target_id,
      secret_sealed: before?.secret_sealed,
    })
  })

  it('is matched by type, and by order if several have the same origin', async () => {
    const makeChat = (path: string) => ({ type: 'CHAT', webhook: `${ORIGIN}/${path}` })
    const number = await create('several', [makeChat('one'), makeWebhook('two'), makeChat('three')])
    const bare = [
      { type: 'CHAT', webhook: ORIGIN },
      { type: 'WEBHOOK', webhook: ORIGIN },
      { type: 'CHAT', webhook: ORIGIN },
    ]
    const listAddresses = async () => (await readCurrentTargets(app, number)).map(row => row.webhook)
    expect((await app.member.put(`${PATH}/${number}`, makeBody('renamed', bare))).status).toBe(200)
    expect(await listAddresses()).toEqual([`${ORIGIN}/one`, `${ORIGIN}/two`, `${ORIGIN}/three`])
    const unclear = await app.member.put(`${PATH}/${number}`, makeBody('renamed', bare.slice(0, 2)))
    expect([unclear.status, unclear.body.errors]).toEqual([
      400,
      {
        'targets[0].webhook':
          'Webhook address is the origin of several existing targets: send their full addresses',
      },
    ])
    const one = await app.admin.put(
      `${PATH}/${number}`,
      makeBody('renamed', [makeChat('three'), { type: 'CHAT', webhook: ORIGIN }]),
    )
    expect(one.status).toBe(200)
    expect(await listAddresses()).toEqual([`${ORIGIN}/three`, `${ORIGIN}/one`])
  })

  it('is a new address if no existing one begins with it', async () => {
    const number = await create('bare', [makeWebhook('x')])
    await app.admin.put(
      `${PATH}/${number}`,
      makeBody('bare', [{ type: 'WEBHOOK', webhook: 'https://other.example.com' }]),
    )
    expect((await readCurrentTargets(app, number)).map(row => row.webhook)).toEqual([
      'https://other.example.com',
    ])
  })

  it('has a full address only for admins', async () => {
    const number = await create('shown', [makeWebhook('full'), { type: 'CHAT', webhook: `${ORIGIN}/chat` }])
    for (const client of [app.member, app.snapshotter, app.reader]) {
      for (const path of [PATH, `${PATH}/${number}`]) {
        const { status, text } = await client.get(path)
        expect(status).toBe(200)
        expect(text).toContain(`"${ORIGIN}"`)
        expect(text).not.toContain(`${ORIGIN}/`)
      }
    }
    expect((await app.admin.get(PATH)).text).toContain(`"${ORIGIN}/full"`)
  })
})
