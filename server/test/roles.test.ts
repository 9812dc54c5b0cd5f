// Every operation against the table of roles that was written by hand (roles.ts), through the front door. What is let in
// is refused with 400 for a query parameter that does not exist, before anything is done.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import {
  buildPath,
  createServiceKey,
  FLOW,
  type Headers,
  makeBearerHeader,
  makeSessionHeaders,
} from './credentials.ts'
import { ORG, type TestApp, testApp } from './harness.ts'
import * as table from './roles.ts'

const LACKS_ROLE = { message: "You don't have permission to access this resource" }

let app: TestApp
let robot: string
beforeAll(async () => {
  app = await testApp()
  robot = await createServiceKey(app.admin, ORG, 'admin')
})
afterAll(() => app.stop())

const contracts = operations.map(({ contract }) => contract)
const named = contracts.map(contract => [table.nameOf(contract), contract] as const)
const withRole = (name: string) => table.rows().includes(name)
const inAnOrg = named.flatMap(([name, contract]) => {
  const needed = withRole(name) ? table.neededFor(contract) : 'public'
  return table.isRole(needed) ? [[name, needed, contract] as const] : []
})

/** 200 and 201 are impossible: the parameter does not exist. */
async function askedBy(contract: Contract, headers: Headers): Promise<{ status: number; body: unknown }> {
  const url = `${buildPath(contract, ORG)}?no_such_parameter=1`
  return app.anonymous.call(contract.method, url, undefined, headers)
}

async function isLetIn(contract: Contract, headers: Headers): Promise<boolean> {
  const { status, body } = await askedBy(contract, headers)
  if (status === 400) {
    expect(body).toHaveProperty('message', 'Input payload validation failed')
    return true
  }
  expect([status, body]).toEqual([403, LACKS_ROLE])
  return false
}

describe('the table of roles', () => {
  it('has a row for every operation, and no row without one', () => {
    expect(table.rows().toSorted()).toEqual(contracts.map(table.nameOf).toSorted())
  })

  it('is what the operations say', () => {
    const said = Object.fromEntries(named.map(([name, { access }]) => [name, access]))
    expect(said).toEqual(Object.fromEntries(named.map(([name, one]) => [name, table.neededFor(one)])))
  })

  it('says which operations need the feature `controls`', () => {
    const those = (having: (contract: Contract) => boolean) => contracts.filter(having).map(table.nameOf)
    expect(those(({ feature }) => feature === 'controls').toSorted()).toEqual(table.NEEDS_CONTROLS.toSorted())
  })
})

describe.each(inAnOrg)('%s needs the role %s', (_name, needed, contract) => {
  it.each(table.ROLES)('a key with the role %s is let in exactly when that suffices', async role => {
    expect(await isLetIn(contract, makeBearerHeader(app[role].key))).toBe(table.suffices(role, needed))
  })
})

const aboutTheCaller = named.filter(
  ([name, one]) => withRole(name) && /user|caller/.test(table.neededFor(one)),
)

describe.each(aboutTheCaller)('%s', (_name, contract) => {
  it('takes the key and the session of a person, and a service account only where any caller will do', async () => {
    expect(await isLetIn(contract, makeBearerHeader(app.reader.key))).toBe(true)
    expect(await isLetIn(contract, await makeSessionHeaders(app, 'rita'))).toBe(true)
    expect(await isLetIn(contract, makeBearerHeader(robot))).toBe(table.neededFor(contract) === 'caller')
    expect((await askedBy(contract, {})).status).toBe(401)
  })
})

it.each(table.PEOPLE_ONLY)('%s takes people only', async name => {
  const contract = contracts.find(one => table.nameOf(one) === name) as Contract
  const answer = await app.anonymous.call(
    contract.method,
    buildPath(contract, ORG),
    undefined,
    makeBearerHeader(robot),
  )
  expect([answer.status, answer.body]).toEqual([403, LACKS_ROLE])
})

describe('in an organization with `public_read`', () => {
  const setVisibility = (visibility: string) =>
    app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '', visibility })
  beforeAll(() => app.admin.patch(`/organizations/${ORG}`, { settings: { public_read: true } }))
  afterAll(() => app.admin.patch(`/organizations/${ORG}`, { settings: { public_read: false } }))

  it.each(named)('%s is open to visitors exactly when the table says so', async (_name, contract) => {
    await setVisibility('public')
    const needed = table.neededFor(contract)
    const status = (await askedBy(contract, {})).status
    if (needed === 'public') return expect(status).toBe(400)
    expect(status).toBe(table.isForVisitors(contract) ? 400 : 401)
    if (!table.isRole(needed)) return
    const asMemberElsewhere = await askedBy(contract, makeBearerHeader(app.outsider.key))
    expect(asMemberElsewhere.status).toBe(table.isForVisitors(contract) ? 400 : 403)
  })

  const aboutAFlow = named.filter(([, { path }]) => path.includes('{flow_name}'))
  it.each(aboutAFlow)('%s is closed to visitors of a flow that is private', async (_name, contract) => {
    await setVisibility('private')
    expect((await askedBy(contract, {})).status).toBe(401)
    expect((await askedBy(contract, makeBearerHeader(app.outsider.key))).status).toBe(403)
  })
})
