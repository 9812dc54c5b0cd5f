// An identity provider for tests: it creates a token as an admin and provisions with it.
import type { Contract } from '../src/api/operation.ts'
import { type Client, ORG, type TestApp, type TestResponse } from './harness.ts'
import { OTHER_ROUTES } from './other-routes.ts'

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Paths are relative to /scim/v2/{org}. */
export interface Provider {
  token: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>
  get(path: string): Promise<TestResponse>
  post(path: string, body: unknown): Promise<TestResponse>
  put(path: string, body: unknown): Promise<TestResponse>
  patch(path: string, ...operations: unknown[]): Promise<TestResponse>
  delete(path: string): Promise<TestResponse>
  /** Creates a user with this name and these attributes, and returns the resource. */
  user(userName: string, more?: Record<string, unknown>): Promise<TestResponse['body']>
  group(displayName: string, members?: { id: string }[]): Promise<TestResponse['body']>
}

export async function makeProvider(app: TestApp, admin: Client, org: string): Promise<Provider> {
  const { body } = await admin.post(`/scim-tokens/${org}`, { description: 'tests' })
  return makeProviderWith(app, String(body.token), org)
}

export function makeProviderWith(app: TestApp, token: string, org: string): Provider {
  const call: Provider['call'] = async (method, path, body, headers = {}) => {
    const answer = await app.server.inject({
      method: method as 'GET',
      url: `/scim/v2/${org}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const isJson = String(answer.headers['content-type'] ?? '').includes('json')
    return {
      status: answer.statusCode,
      body: isJson ? JSON.parse(answer.body) : answer.body,
      headers: answer.headers,
      text: answer.body,
    }
  }
  const create = async (path: string, resource: unknown) => {
    const answer = await call('POST', path, resource)
    if (answer.status !== 201) throw new Error(`not created: ${answer.text}`)
    return answer.body
  }
  return {
    token,
    call,
    get: path => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
    patch: (path, ...Operations) => call('PATCH', path, { schemas: [PATCH_OP], Operations }),
    delete: path => call('DELETE', path),
    user: (userName, more = {}) => create('/Users', { schemas: [USER_SCHEMA], userName, ...more }),
    group: (displayName, members = []) =>
      create('/Groups', {
        schemas: [GROUP_SCHEMA],
        displayName,
        members: members.map(({ id }) => ({ value: id })),
      }),
  }
}

/** Marks these domains as proved by DNS for the org. */
export async function proveDomains(app: TestApp, org: string, ...domains: string[]): Promise<void> {
  await app.sql(
    `insert into mail_domains (org_id, domain, challenge, created_by, created_at, checked_at, confirmed_at, proved_at)
     select o.org_id, d.domain, 'challenge', 'tests', $3, $3, $3, $3 from orgs o, unnest($2::text[]) d (domain)
     where o.name = $1`,
    [org, domains, app.clock.now()],
  )
}

const token_ids = new WeakMap<TestApp, string>()

/** Creates a token to revoke and claims a domain, for tests of every operation. */
export async function prepareScimToken(
  contract: Contract,
  where: TestApp,
  description: string,
): Promise<void> {
  const { id } = contract
  if (contract.path.startsWith('/mail-domains/{org}/{domain}')) {
    const path = `/mail-domains/${ORG}/${contract.example?.params?.domain}`
    await (id === 'putMailDomain' ? where.admin.delete(path) : where.admin.put(path))
  }
  if (id !== 'revokeScimToken' && id !== 'adoptScimToken') return
  const { body } = await where.admin.post(`/scim-tokens/${ORG}`, { description })
  token_ids.set(where, body.id)
}

export function findScimTokenFor({ id }: Contract, where: TestApp): Record<string, string> {
  return id === 'revokeScimToken' || id === 'adoptScimToken' ? { token_id: token_ids.get(where) ?? '' } : {}
}

/** All routes for identity providers. */
export function listScimRoutes(): string[] {
  return Object.keys(OTHER_ROUTES).filter(route => OTHER_ROUTES[route] === 'a SCIM token of the org')
}

/** Adds a row to every table of SCIM provisioning. */
export async function fillScim(app: TestApp, admin: Client, org: string): Promise<void> {
  await admin.put(`/mail-domains/${org}/${org}.example`)
  const idp = await makeProvider(app, admin, org)
  const user = await idp.user(`provisioned@${org}.example`)
  await idp.group('crew', [user])
}
