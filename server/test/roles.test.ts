// Every operation against the handwritten table of roles (roles.ts), through the API. Authorized callers get 400 for
// an unknown query parameter, before anything is done.
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
import { FOR_AUDITORS } from './for-auditors.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import * as table from './roles.ts'

const LACKS_ROLE = { message: "You don't have permission to access this resource" }

let app: TestApp
let robot: string
let auditor: string
beforeAll(async () => {
  app = await startTestApp()
  auditor = await createServiceKey(app.admin, ORG, 'auditor')
  robot = await createServiceKey(app.admin, ORG, 'admin')
})
afterAll(() => app.stop())

const contracts = operations.map(({ contract }) => contract)
const named = contracts.map(contract => [table.getName(contract), contract] as const)
const hasRow = (name: string) => table.rows().includes(name)
const orgOperations = named.flatMap(([name, contract]) => {
  const needed = hasRow(name) ? table.getNeededAccess(contract) : 'public'
  return table.isRole(needed) ? [[name, needed, contract] as const] : []
})

/** Cannot return 200 or 201, because the parameter does not exist. */
async function callWith(contract: Contract, headers: Headers): Promise<{ status: number; body: unknown }> {
  const url = `${buildPath(contract, ORG)}?no_such_parameter=1`
  return app.anonymous.call(contract.method, url, undefined, headers)
}

async function isLetIn(contract: Contract, headers: Headers): Promise<boolean> {
  const { status, body } = await callWith(contract, headers)
  if (status === 400) {
    expect(body).toHaveProperty('message', 'Input payload validation failed')
    return true
  }
  expect([status, body]).toEqual([403, LACKS_ROLE])
  return false
}

describe('the table of roles', () => {
  it('has a row for every operation, and no row without one', () => {
    expect(table.rows().toSorted()).toEqual(contracts.map(table.getName).toSorted())
  })

  it('matches the operations', () => {
    const declared = Object.fromEntries(named.map(([name, { access }]) => [name, access]))
    expect(declared).toEqual(
      Object.fromEntries(named.map(([name, one]) => [name, table.getNeededAccess(one)])),
    )
  })

  it('lists what auditors may call in addition to readers: operations that read', () => {
    const declared = contracts.filter(({ auditors }) => auditors)
    expect(declared.map(table.getName).toSorted()).toEqual(FOR_AUDITORS.toSorted())
    expect(declared.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('lists the operations that need the feature `controls`', () => {
    const listNames = (having: (contract: Contract) => boolean) => contracts.filter(having).map(table.getName)
    expect(listNames(({ feature }) => feature === 'controls').toSorted()).toEqual(
      table.NEEDS_CONTROLS.toSorted(),
    )
  })
})

describe.each(orgOperations)('%s needs the role %s', (_name, needed, contract) => {
  it.each(table.ROLES)('a key with the role %s is accepted exactly when that suffices', async role => {
    expect(await isLetIn(contract, makeBearerHeader(app[role].key))).toBe(table.suffices(role, needed))
  })

  it('an auditor is accepted exactly if it reads', async () => {
    expect(await isLetIn(contract, makeBearerHeader(auditor))).toBe(table.mayCall('auditor', contract))
  })
})

const aboutTheCaller = named.filter(
  ([name, one]) => hasRow(name) && /user|caller/.test(table.getNeededAccess(one)),
)

describe.each(aboutTheCaller)('%s', (_name, contract) => {
  it('accepts the key and the session of a person, and a service account only if any caller is allowed', async () => {
    expect(await isLetIn(contract, makeBearerHeader(app.reader.key))).toBe(true)
    expect(await isLetIn(contract, await makeSessionHeaders(app, 'rita'))).toBe(true)
    expect(await isLetIn(contract, makeBearerHeader(robot))).toBe(
      table.getNeededAccess(contract) === 'caller',
    )
    expect((await callWith(contract, {})).status).toBe(401)
  })
})

it.each(table.PEOPLE_ONLY)('%s accepts people only', async name => {
  const contract = contracts.find(one => table.getName(one) === name) as Contract
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

  it.each(named)('%s is open to visitors exactly when the table lists it', async (_name, contract) => {
    await setVisibility('public')
    const needed = table.getNeededAccess(contract)
    const status = (await callWith(contract, {})).status
    if (needed === 'public') return expect(status).toBe(400)
    expect(status).toBe(table.isForVisitors(contract) ? 400 : 401)
    if (!table.isRole(needed)) return
    const asMemberElsewhere = await callWith(contract, makeBearerHeader(app.outsider.key))
    expect(asMemberElsewhere.status).toBe(table.isForVisitors(contract) ? 400 : 403)
  })

  const aboutAFlow = named.filter(([, { path }]) => path.includes('{flow_name}'))
  it.each(aboutAFlow)('%s is closed to visitors of a flow that is private', async (_name, contract) => {
    await setVisibility('private')
    expect((await callWith(contract, {})).status).toBe(401)
    expect((await callWith(contract, makeBearerHeader(app.outsider.key))).status).toBe(403)
  })
})

describe('in an organization with `public_log`', () => {
  beforeAll(() => app.admin.patch(`/organizations/${ORG}`, { settings: { public_log: true } }))
  afterAll(() => app.admin.patch(`/organizations/${ORG}`, { settings: { public_log: false } }))

  it.each(named)('%s is open to visitors exactly when the table lists it', async (_name, contract) => {
    const needed = table.getNeededAccess(contract)
    if (needed === 'public') return
    const is_open = table.isForVisitorsOfLog(contract)
    expect((await callWith(contract, {})).status).toBe(is_open ? 400 : 401)
    if (!table.isRole(needed)) return
    const asMemberElsewhere = await callWith(contract, makeBearerHeader(app.outsider.key))
    expect(asMemberElsewhere.status).toBe(is_open ? 400 : 403)
  })
})
