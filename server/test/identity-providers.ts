// Local identity providers: a real one (oidc-provider), and a faulty one whose responses a test can break one by one.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import Provider from 'oidc-provider'
import { signRaw } from './raw-jwt.ts'

export const CLIENT = { client_id: 'waybill', client_secret: 'a secret of the client, long enough for HS256' }

export interface Account {
  sub: string
  email?: string
  email_verified?: boolean
  preferred_username?: string
  name?: string
  groups?: string[]
}

export interface RealProvider {
  issuer: string
  /** Signs in at the provider as this person; returns the URL of ours that it redirects to. */
  signIn(authorization_url: string, account: Account): Promise<string>
  stop(): Promise<void>
}

export async function startRealProvider(redirect_uri: string): Promise<RealProvider> {
  const { server, issuer } = await listen()
  let current: Account = { sub: 'nobody' }
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [redirect_uri] }],
    cookies: { keys: ['a key of the tests'] },
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups'],
    },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 300,
      IdToken: 300,
      Interaction: 300,
      Session: 300,
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...current, sub }) }),
    loadExistingGrant: async context => {
      const { client, session } = context.oidc
      const grant = new context.oidc.provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: current.sub } })
  })
  return {
    issuer,
    signIn: (address, account) => {
      current = account
      return followRedirects(address, issuer)
    },
    stop: () => close(server),
  }
}

/** Keeps its own cookies, until a redirect leaves the provider. */
async function followRedirects(start: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>()
  let address = start
  for (let steps = 0; steps < 10 && address.startsWith(issuer); steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`)
    address = new URL(location, address).href
  }
  return address
}

/** The flaw in a response; everything else is correct. */
export interface Faults {
  claims?: Record<string, unknown>
  alg?: 'none' | 'HS256' | 'other key' | 'unknown key'
  id_token?: null | string
  /** More members of the header, as JSON. */
  header?: string
  /** More claims, as JSON. */
  payload?: string
  /** Query parameters of the URL that the browser returns to. */
  query?: Record<string, string | undefined>
  userinfo?: Record<string, unknown>
}

export interface FaultyProvider {
  issuer: string
  /** The paths requested so far. */
  requests: string[]
  /** The URL of ours that the browser would be redirected to. */
  signIn(authorization_url: string, account: Account, spoiled?: Faults): string
  stop(): Promise<void>
}

export async function startFaultyProvider(): Promise<FaultyProvider> {
  const { server, issuer } = await listen()
  const [right, wrong] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const jwk = { ...(await exportJWK(right.publicKey)), kid: 'right', alg: 'RS256', use: 'sig' }
  let account: Account = { sub: 'nobody' }
  let spoiled: Faults = {}
  let nonce = ''
  const requests: string[] = []

  async function signIdToken(): Promise<string | undefined> {
    if (spoiled.id_token !== undefined) return spoiled.id_token ?? undefined
    const now = Math.floor(Date.now() / 1000)
    const standard = { iss: issuer, aud: CLIENT.client_id, iat: now, exp: now + 300, nonce }
    const claims = { ...standard, ...account, ...spoiled.claims }
    if (spoiled.alg === 'none') return new UnsecuredJWT(claims).encode()
    const alg = spoiled.alg === 'HS256' ? 'HS256' : 'RS256'
    const kid = spoiled.alg === 'unknown key' ? 'unknown' : 'right'
    const key =
      spoiled.alg === undefined
        ? right.privateKey
        : spoiled.alg === 'HS256'
          ? Buffer.from(CLIENT.client_secret)
          : wrong.privateKey
    if (spoiled.header !== undefined || spoiled.payload !== undefined) {
      const { header = '"typ":"JWT"', payload = '"x":1' } = spoiled
      const text = `${JSON.stringify(claims).slice(0, -1)},${payload}}`
      return signRaw(`{"alg":"${alg}","kid":"${kid}",${header}}`, text, right.privateKey)
    }
    return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(key)
  }

  const documents: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => buildMetadata(issuer),
    '/jwks': () => ({ keys: [jwk] }),
    '/token': async () => ({
      access_token: 'an access token',
      token_type: 'Bearer',
      id_token: await signIdToken(),
    }),
    '/userinfo': () => ({ sub: account.sub, ...spoiled.userinfo }),
  }
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.url ?? '')
    const body = JSON.stringify(await documents[request.url ?? '']?.())
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(body)
  })
  return {
    issuer,
    requests,
    signIn: (address, who, how = {}) => {
      account = who
      spoiled = how
      const wanted = new URL(address).searchParams
      nonce = wanted.get('nonce') ?? ''
      const back = new URL(wanted.get('redirect_uri') ?? '')
      const query = { code: 'a code', state: wanted.get('state') ?? '', iss: issuer, ...how.query }
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) back.searchParams.set(name, value)
      return back.href
    },
    stop: () => close(server),
  }
}

function buildMetadata(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    // Claims to sign with any algorithm: which ones are accepted is our decision.
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
  }
}

async function listen(): Promise<{ server: Server; issuer: string }> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, issuer: `http://127.0.0.1:${port}` }
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise(resolve => server.close(() => resolve()))
}
