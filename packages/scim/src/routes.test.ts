// All routes of the package, with resources that are kept in memory.
import { beforeEach, describe, expect, it } from 'vitest'
import { USER, USER_SCHEMA } from './attributes.ts'
import { listResources } from './list.ts'
import { applyPatch, PATCH_SCHEMA } from './patch.ts'
import { noSuchResource, renderProblem, ScimProblem } from './problems.ts'
import { applyProjection } from './projection.ts'
import { type Answer, buildRoutes, type Resources } from './routes.ts'
import { parseResource, type Values } from './values.ts'

const BASE = 'https://scim.example/acme'
const TENANT = 'acme'

let users: Map<string, Values>
let scanned: number

beforeEach(() => {
  users = new Map()
  scanned = 0
})

const resources: Resources<string> = {
  type: USER,
  create: async (tenant, body) =>
    save(tenant, String(users.size + 1).padStart(4, '0'), parseResource(USER, body)),
  get: async (_, id, projection) => applyProjection(USER, find(id), projection),
  list: (_, query) =>
    listResources(
      {
        type: USER,
        count: async () => users.size,
        page: async ({ limit, offset }) => [...users.values()].slice(offset, offset + limit),
        after: async ({ after, limit }) => {
          scanned += 1
          return [...users.values()].filter(user => String(user.id) > after).slice(0, limit)
        },
        first_id: '',
        getId: user => String(user.id),
        findByValue: (attribute, value) =>
          attribute === 'userName'
            ? Promise.resolve([...users.values()].filter(user => user.userName === value))
            : undefined,
        render: async rows => rows,
      },
      query,
    ),
  replace: async (tenant, id, body) => save(tenant, String(find(id).id), parseResource(USER, body)),
  patch: async (tenant, id, body) => save(tenant, id, applyPatch(USER, find(id), body)),
  remove: async (_, id) => void users.delete(String(find(id).id)),
}

function save(tenant: string, id: string, values: Values): Values {
  const location = `https://scim.example/${tenant}/Users/${id}`
  const user = { ...values, schemas: [USER_SCHEMA], id, meta: { resourceType: 'User', location } }
  users.set(id, user)
  return user
}

function find(id: string): Values {
  const user = users.get(id)
  if (!user) throw noSuchResource('User', id)
  return user
}

const routes = buildRoutes([resources], tenant => ({
  address: `https://scim.example/${tenant}`,
  token: 'Ask an admin',
  describeType: ({ name }) => `Every ${name}`,
}))

async function call(method: string, url: string, body?: unknown): Promise<Answer> {
  const { pathname, searchParams } = new URL(url, 'https://x')
  const [, endpoint, id = ''] = pathname.split('/').map(decodeURIComponent)
  const path = id === '' ? `/${endpoint}` : `/${endpoint}/:id`
  const route = routes.find(one => one.method === method && one.path === path)
  if (!route) throw new Error(`There is no route ${method} ${path}`)
  return route.answer(TENANT, { id, query: Object.fromEntries(searchParams), body })
}

const getResources = (body: Values | undefined) => body?.Resources as Values[]
const create = (userName: string) => call('POST', '/Users', { schemas: [USER_SCHEMA], userName })

describe('a resource', () => {
  it('is created, with its location, and read back', async () => {
    const created = await create('ann')
    expect(created).toMatchObject({
      status: 201,
      headers: { location: `${BASE}/Users/0001` },
      body: { id: '0001', userName: 'ann' },
    })
    expect(await call('GET', '/Users/0001')).toEqual({ status: 200, headers: {}, body: created.body })
  })

  it('is replaced, patched and removed', async () => {
    await create('ann')
    const replaced = await call('PUT', '/Users/0001', { userName: 'bea', title: 'Dr' })
    expect(replaced.body).toMatchObject({ userName: 'bea', title: 'Dr' })
    const Operations = [{ op: 'remove', path: 'title' }]
    const patched = await call('PATCH', '/Users/0001', { schemas: [PATCH_SCHEMA], Operations })
    expect(patched.body).not.toHaveProperty('title')
    expect(await call('DELETE', '/Users/0001')).toEqual({ status: 204, headers: {}, body: undefined })
    await expect(call('GET', '/Users/0001')).rejects.toMatchObject({ status: 404, scim_type: undefined })
  })

  it.each(['POST /Users', 'PUT /Users/0001'])(
    'is reduced to the requested attributes by %s',
    async request => {
      await create('ann')
      const [method = '', url = ''] = request.split(' ')
      const { body } = await call(method, `${url}?attributes=userName`, { userName: 'bea', title: 'Dr' })
      expect(Object.keys(body ?? {}).sort()).toEqual(['id', 'schemas', 'userName'])
    },
  )
})

describe('a list', () => {
  beforeEach(async () => {
    for (let i = 1; i <= 1201; i++) await create(`user-${i}`)
  })

  it('has pages', async () => {
    const { body } = await call('GET', '/Users?startIndex=3&count=2')
    expect(body).toMatchObject({ totalResults: 1201, startIndex: 3, itemsPerPage: 2 })
    expect(getResources(body).map(({ userName }) => userName)).toEqual(['user-3', 'user-4'])
  })

  it('has at most 200 resources', async () => {
    expect((await call('GET', '/Users?count=1000')).body).toMatchObject({ itemsPerPage: 200 })
  })

  it('looks up an attribute that has an index, and scans nothing', async () => {
    const { body } = await call('GET', `/Users?filter=${encodeURIComponent('userName eq "user-7"')}`)
    expect([body?.totalResults, scanned]).toEqual([1, 0])
  })

  it('scans everything for any other filter, in batches', async () => {
    const { body } = await call('GET', `/Users?filter=${encodeURIComponent('userName ew "01"')}`)
    expect([body?.totalResults, scanned]).toEqual([12, 3])
  })

  it('rejects an invalid page number and repeated parameters', async () => {
    await expect(call('GET', '/Users?count=many')).rejects.toMatchObject({ scim_type: 'invalidValue' })
    const list = routes.find(({ method, path }) => method === 'GET' && path === '/Users')
    const twice = list?.answer(TENANT, { id: '', query: { filter: ['a', 'b'] }, body: undefined })
    await expect(twice).rejects.toThrow('filter is given more than once')
  })
})

describe('discovery', () => {
  it('describes the service', async () => {
    const { body } = await call('GET', '/ServiceProviderConfig')
    expect(body).toMatchObject({
      patch: { supported: true },
      authenticationSchemes: [{ description: 'Ask an admin' }],
      meta: { location: `${BASE}/ServiceProviderConfig` },
    })
  })

  it('lists the types that the service has', async () => {
    const { body } = await call('GET', '/ResourceTypes')
    expect(body?.Resources).toMatchObject([{ id: 'User', description: 'Every User', endpoint: '/Users' }])
    expect((await call('GET', '/ResourceTypes/user')).body).toEqual(getResources(body)[0])
    await expect(call('GET', '/ResourceTypes/Group')).rejects.toMatchObject({ status: 404 })
  })

  it('describes every attribute of the schemas, except passwords', async () => {
    const { body } = await call('GET', '/Schemas')
    const schemas = body?.Resources as { id: string; attributes: Values[] }[]
    expect(schemas.map(({ id }) => id)).toHaveLength(3)
    const attributes = schemas.flatMap(schema => schema.attributes)
    const inner = attributes.flatMap(one => (one.subAttributes ?? []) as Values[])
    for (const attribute of [...attributes, ...inner]) {
      expect(attribute).toMatchObject({
        name: expect.not.stringMatching(/password/i),
        description: expect.stringMatching(/./),
        mutability: expect.stringMatching(/^(readWrite|readOnly|immutable)$/),
        returned: 'default',
      })
    }
    for (const schema of schemas) expect((await call('GET', `/Schemas/${schema.id}`)).body).toEqual(schema)
  })
})

describe('an error', () => {
  it('has the format of SCIM', () => {
    const problem = new ScimProblem(400, 'invalidFilter', 'Bad filter')
    expect(renderProblem(problem.status, problem.scim_type, problem.message)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '400',
      scimType: 'invalidFilter',
      detail: 'Bad filter',
    })
    expect(renderProblem(404, undefined, 'Gone')).not.toHaveProperty('scimType')
  })
})
