// Names of people in rows beside the events: erasing a body removes them too, and the log covers that.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPolicyRequiring } from './environments.ts'
import { type Erasing, prepareErasure, REASON, readIndex } from './erasures.ts'
import { type Client, ORG, ROLE_USERS, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'

let app: TestApp
let log: Erasing
beforeAll(async () => {
  app = await startTestApp()
  log = await prepareErasure(app)
})
afterAll(() => app.stop())

describe('the name of a person', () => {
  const POLICY = buildPolicyRequiring()

  /** The resources that the person creates, and how pages then name the person. */
  async function makeAll({ put, post }: Client, prefix: string) {
    const named = { name: `${prefix}-made`, description: '' }
    for (const answer of [
      await put(`/flows/${ORG}`, named),
      await put(`/environments/${ORG}`, { ...named, type: 'K8S' }),
      await put(`/policies/${ORG}/${prefix}-made`, { policy_yaml: POLICY }),
      await put(`/policies/${ORG}/${prefix}-made`, { policy_yaml: `${POLICY}\n` }),
      await post(`/custom-attestation-types/${ORG}`, named),
      await post(`/controls/${ORG}`, { ...named, identifier: `${prefix}-made` }),
    ])
      expect([200, 201], answer.text).toContain(answer.status)
  }

  const countNames = async (name: string) => {
    const columns = [
      'flows.created_by',
      'environments.created_by',
      'policies.created_by',
      'policy_versions.created_by',
      'custom_attestation_types.created_by',
      'custom_attestation_type_versions.created_by',
      'controls.created_by',
      'control_versions.changed_by',
      'membership_events.user_name',
      'membership_events.changed_by',
    ]
    const counts = columns.map(async column => {
      const [table, field] = column.split('.')
      const [row] = await app.sql(
        `select count(*)::int as n from ${table} where org_id = $1 and ${field} = $2`,
        [log.org_id, name],
      )
      return [column, Number(row?.n)] as const
    })
    return Object.fromEntries(await Promise.all(counts))
  }

  it('is removed from their resources and from the membership history, and no other name is', async () => {
    const eve = await addPerson(app, 'eve', 'admin')
    const zoe = await addPerson(app, 'zoe', 'admin')
    await makeAll(eve, 'eve')
    await makeAll(zoe, 'zoe')
    // Somebody else changes the person's resources: the later leaf covers the name as well.
    await zoe.put(`/flows/${ORG}`, { name: 'eve-made', description: 'by zoe' })
    await zoe.put(`/policies/${ORG}/eve-made`, { policy_yaml: `${POLICY}# by zoe\n` })
    await eve.put(`/members/${ORG}/${ROLE_USERS.reader}`, { role: 'member' })
    const before = { eve: await countNames('eve'), zoe: await countNames('zoe') }
    expect(Object.values(before.eve)).not.toContain(0)
    let cursor: string | undefined
    do {
      const { status, body } = await app.admin.post(`/log/${ORG}/people/eve/erase`, {
        ...REASON,
        ...(cursor ? { cursor } : {}),
      })
      expect(status).toBe(200)
      cursor = body.next ?? undefined
    } while (cursor)
    const nothing = Object.fromEntries(Object.keys(before.eve).map(column => [column, 0]))
    expect(await countNames('eve')).toEqual(nothing)
    expect(await countNames('zoe')).toEqual(before.zoe)
    const { body: flow } = await app.reader.get(`/flows/${ORG}/eve-made`)
    expect(flow).toMatchObject({ created_by: 'erased', description: 'by zoe' })
    expect(await log.findProblems()).toEqual([])
    await app.sql('begin')
    await app.sql(`update flows set created_by = 'mallory' where name = 'eve-made'`)
    expect(await log.findProblems()).toEqual([
      expect.stringMatching(/\(body_erased\) does not fit the stored flow/),
    ])
    await app.sql('rollback')
  })

  it('is removed with a single body too, from the row that it is about', async () => {
    const made = await app.member.put(`/flows/${ORG}`, { name: 'single', description: '' })
    await log.erase(readIndex(made))
    expect((await app.reader.get(`/flows/${ORG}/single`)).body.created_by).toBe('erased')
    expect(await log.findProblems()).toEqual([])
  })
})
