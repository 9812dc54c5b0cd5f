import { describe, expect, it } from 'vitest'
import { expectProblem } from './problem.testing.ts'
import {
  formatBasic,
  formatManifest,
  OCI_MANIFEST,
  type Reply,
  serveManifest,
  startRegistry,
} from './registry.testing.ts'
import { resolveImage } from './registry.ts'
import { type Credentials, parseChallenges } from './registry-auth.ts'

const PASSWORD = { kind: 'password', username: 'ada', password: 'pass:wörd', source: 'a test' } as const
const MANIFEST = serveManifest(formatManifest(OCI_MANIFEST), OCI_MANIFEST)

describe('basic authentication', () => {
  const start = () =>
    startRegistry(({ headers }) =>
      headers.authorization === formatBasic('ada', 'pass:wörd')
        ? MANIFEST
        : { status: 401, headers: { 'www-authenticate': 'Basic realm="registry"' } },
    )
  const resolve = (host: string, credentials: Credentials | undefined) =>
    resolveImage(`${host}/web`, { fetch, auth: async () => credentials })

  it('sends the password only after the registry asks for it', async () => {
    const { host, requests } = await start()
    expect((await resolve(host, PASSWORD)).media_type).toBe(OCI_MANIFEST)
    expect(requests.map(({ headers }) => headers.authorization !== undefined)).toEqual([false, true])
  })

  it('without credentials is refused with advice', async () => {
    const { host, requests } = await start()
    await expectProblem(
      resolve(host, undefined),
      'not_allowed',
      /without credentials .* `docker login 127\.0\.0\.1:\d+`/,
    )
    expect(requests).toHaveLength(1)
  })

  it('with other credentials is refused, and the message names their source and no secret', async () => {
    const { host } = await start()
    const work = resolve(host, { ...PASSWORD, password: 'mistaken' })
    const { message } = await expectProblem(work, 'not_allowed', /refuses the credentials from a test/)
    expect(message).not.toContain('mistaken')
  })

  it('cannot use an identity token', async () => {
    const { host } = await start()
    await expectProblem(
      resolve(host, { kind: 'identity_token', token: 't', source: 'x' }),
      'not_allowed',
      /from x/,
    )
  })

  it('of another kind is refused', async () => {
    const { host } = await startRegistry(() => ({
      status: 401,
      headers: { 'www-authenticate': 'Negotiate' },
    }))
    await expectProblem(resolve(host, PASSWORD), 'not_allowed', /in a way that is not supported: Negotiate/)
  })
})

/** A registry that names itself as the token server. */
async function startBearer({
  token = { body: '{"token":"abc"}' } as Reply,
  challenge = '',
  realm = '',
} = {}) {
  const registry = await startRegistry(({ path, headers }) => {
    if (path.startsWith('/token')) return token
    if (headers.authorization === 'Bearer abc') return MANIFEST
    const named = realm || `http://${headers.host}/token`
    const header = challenge || 'service="reg",scope="repository:acme/web:pull"'
    return { status: 401, headers: { 'www-authenticate': `Bearer realm="${named}",${header}` } }
  })
  const resolve = (credentials?: Credentials) =>
    resolveImage(`${registry.host}/acme/web`, { fetch, auth: async () => credentials })
  return { ...registry, resolve }
}

describe('a token', () => {
  it('is fetched for reading this repository, anonymously', async () => {
    const { resolve, requests } = await startBearer()
    expect((await resolve()).media_type).toBe(OCI_MANIFEST)
    expect(requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
      ['GET', '/v2/acme/web/manifests/latest', undefined],
      ['GET', '/token?scope=repository%3Aacme%2Fweb%3Apull&service=reg', undefined],
      ['GET', '/v2/acme/web/manifests/latest', 'Bearer abc'],
    ])
  })

  it('is fetched with the password, which the registry itself does not get', async () => {
    const { resolve, requests } = await startBearer({ token: { body: '{"access_token":"abc"}' } })
    await resolve(PASSWORD)
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      formatBasic('ada', 'pass:wörd'),
      'Bearer abc',
    ])
  })

  it('is exchanged for an identity token, with a form', async () => {
    const { resolve, requests } = await startBearer()
    await resolve({ kind: 'identity_token', token: 'a&b', source: 'x' })
    expect([requests[1]?.method, Object.fromEntries(new URLSearchParams(requests[1]?.body))]).toEqual([
      'POST',
      {
        grant_type: 'refresh_token',
        refresh_token: 'a&b',
        client_id: 'waybill',
        service: 'reg',
        scope: 'repository:acme/web:pull',
      },
    ])
  })

  it('of the registry is sent unchanged', async () => {
    const { resolve, requests } = await startBearer()
    await resolve({ kind: 'registry_token', token: 'abc', source: 'x' })
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer abc'])
  })

  it.each([
    ['scope="repository:mirror/acme/web:pull"', 'repository:mirror/acme/web:pull'],
    ['scope="repository:acme/web:pull,push"', 'repository:acme/web:pull'],
    ['scope="registry:catalog:*"', 'repository:acme/web:pull'],
    ['service="x"', 'repository:acme/web:pull'],
  ])('is fetched for nothing but reading: %s', async (challenge, scope) => {
    const { resolve, requests } = await startBearer({ challenge })
    await resolve()
    expect(new URLSearchParams(requests[1]?.path.split('?')[1]).get('scope')).toBe(scope)
  })

  it.each(['http://tokens.invalid/t', 'http://127.0.0.2/t', 'ftp://127.0.0.1/', 'token', 'x'])(
    'is not fetched at %j, and nobody gets the credentials',
    async realm => {
      const { resolve, requests } = await startBearer({ realm })
      await expectProblem(
        resolve(PASSWORD),
        'invalid',
        /names the token server .* must be an https:\/\/ address/,
      )
      expect(requests).toHaveLength(1)
    },
  )

  it('is not fetched over HTTP for a registry with HTTPS', async () => {
    const header = { 'www-authenticate': 'Bearer realm="http://example.com/token"' }
    const asked: string[] = []
    const refuse = async (url: string) => {
      asked.push(url)
      return { status: 401, headers: new Headers(header), body: null }
    }
    const work = resolveImage('example.com/web', { fetch: refuse, auth: async () => PASSWORD })
    await expectProblem(work, 'invalid', /must be an https/)
    expect(asked).toHaveLength(1)
  })

  it.each([
    [{ status: 401 }, 'not_allowed', /refuses requests without credentials/],
    [{ status: 403 }, 'not_allowed', /refuses/],
    [{ status: 500 }, 'unreachable', /token server .* status 500/],
    [{ body: '{}' }, 'invalid', /sent no token/],
    [{ body: '<html>' }, 'invalid', /sent no token/],
    [{ body: '{"token":"a\\r\\nb"}' }, 'invalid', /sent no token/],
    [{ body: `{"token":"${'a'.repeat(1024 * 1024)}"}` }, 'invalid', /more than 1048576 bytes/],
  ] as const)('is missing if the token server answers %j', async (token, reason, message) => {
    const { resolve } = await startBearer({ token })
    await expectProblem(resolve(), reason, message)
  })

  it('that the registry refuses is not retried', async () => {
    const { resolve, requests } = await startBearer({ token: { body: '{"token":"other"}' } })
    await expectProblem(resolve(PASSWORD), 'not_allowed', /refuses the credentials from a test/)
    expect(requests).toHaveLength(3)
  })
})

describe('a challenge', () => {
  it.each([
    ['Basic realm="x"', [{ scheme: 'basic', parameters: { realm: 'x' } }]],
    ['BEARER Realm=x, SCOPE = "a,b=c"', [{ scheme: 'bearer', parameters: { realm: 'x', scope: 'a,b=c' } }]],
    ['Bearer realm="a\\"b"', [{ scheme: 'bearer', parameters: { realm: 'a"b' } }]],
    [
      'Basic realm="x", Bearer realm="y"',
      [
        { scheme: 'basic', parameters: { realm: 'x' } },
        { scheme: 'bearer', parameters: { realm: 'y' } },
      ],
    ],
    ['', []],
    ['"', []],
    ['a=b', []],
  ])('%j is read', (header, expected) => expect(parseChallenges(header)).toEqual(expected))
})
