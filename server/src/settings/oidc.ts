// Reads the identity providers from the settings: one from plain settings, and a JSON list of more. Error messages
// never show the given values, because they contain secrets.
import { isLoopback } from '../lib/loopback.ts'
import { parseUrl } from '../lib/url.ts'
import {
  defineSecret,
  defineSetting,
  readOptionalText,
  readTextOr,
  readUrlWithScheme,
  rethrowAsProblem,
  type Setting,
  withSettingProblem,
} from './readers.ts'

export const OIDC_SETTINGS = {
  WAYBILL_OIDC_ISSUER: defineSetting('identity provider', 'unset', readUrlWithScheme('https', 'http')),
  WAYBILL_OIDC_CLIENT_ID: defineSetting('client id at the identity provider', 'unset', readOptionalText),
  WAYBILL_OIDC_CLIENT_SECRET: defineSecret(
    'client secret at the identity provider',
    'unset',
    readOptionalText,
  ),
  WAYBILL_OIDC_NAME: defineSetting(
    'name of the identity provider on the sign-in button',
    'single sign-on',
    readTextOr('single sign-on'),
  ),
  WAYBILL_OIDC_PROVIDERS: defineSecret(
    'more identity providers, as a JSON list; one per mail domain if wanted',
    'empty',
    withSettingProblem(readProviders),
  ),
} satisfies Record<string, Setting<unknown>>

export interface OidcProvider {
  /** Part of the redirect URL. */
  id: string
  name: string
  issuer: string
  client_id: string
  client_secret: string | undefined
  mail_domains: string[]
  /** Domains whose addresses are trusted although the provider does not say whether they are verified. */
  trusted_mail_domains: string[]
  role_claim: string | undefined
  /** From a value of the claim to a role in an organization. */
  role_map: Record<string, { role: string; org: string }>
}

const ID = /^[a-z0-9][a-z0-9-]{0,31}$/
const PLACE = /^(admin|member|snapshotter|reader)@([a-zA-Z0-9][a-zA-Z0-9\-_.]*)$/
/** Issuers where people of every tenant sign in: the admin of any tenant chooses the addresses there. */
const SHARED_TENANT = /^https:\/\/login\.[^/]+\/(common|organizations|consumers)(\/|$)/i

type Settings = typeof OIDC_SETTINGS
type Read = <N extends keyof Settings>(name: N) => ReturnType<Settings[N]['read']>

export function readOidcConfig(read: Read): OidcProvider[] {
  const plain = rethrowAsProblem(() =>
    readPlainProvider({
      name: read('WAYBILL_OIDC_NAME'),
      issuer: read('WAYBILL_OIDC_ISSUER'),
      client_id: read('WAYBILL_OIDC_CLIENT_ID'),
      client_secret: read('WAYBILL_OIDC_CLIENT_SECRET'),
    }),
  )
  return [...plain, ...read('WAYBILL_OIDC_PROVIDERS')]
}

/** The provider of the plain settings; none without an issuer. */
function readPlainProvider(given: {
  name: string
  issuer: string | undefined
  client_id: string | undefined
  client_secret: string | undefined
}): OidcProvider[] {
  const { name, issuer, client_id, client_secret } = given
  if (issuer === undefined) {
    if (client_id === undefined && client_secret === undefined) return []
    throw new Error('WAYBILL_OIDC_ISSUER is needed with WAYBILL_OIDC_CLIENT_ID')
  }
  if (client_id === undefined) throw new Error('WAYBILL_OIDC_CLIENT_ID is needed with WAYBILL_OIDC_ISSUER')
  if (!isIssuer(issuer)) throw new Error('WAYBILL_OIDC_ISSUER must be https, or http of this host')
  const unbound = { mail_domains: [], trusted_mail_domains: [], role_claim: undefined, role_map: {} }
  return [{ id: 'sso', name, issuer, client_id, client_secret, ...unbound }]
}

/** `[{"id": "acme", "issuer": "https://…", "client_id": "…", "client_secret": "…", "mail_domains": ["acme.example"]}]` */
function readProviders(value: string | undefined, setting_name: string): OidcProvider[] {
  let list: unknown
  try {
    list = JSON.parse(value ?? '[]')
  } catch {
    // The parser's message quotes its input, which contains secrets.
    throw new Error(`${setting_name} must be a JSON list`)
  }
  if (!Array.isArray(list)) throw new Error(`${setting_name} must be a JSON list`)
  return list.map((entry: unknown, i) => {
    const provider =
      typeof entry === 'object' && entry !== null ? readProvider({ ...entry }) : 'must be an object'
    if (typeof provider !== 'string') return provider
    throw new Error(`${setting_name}: entry ${i + 1} ${provider}`)
  })
}

/** A value that two providers share but that must be unique. */
export function findDuplicate(providers: readonly OidcProvider[]): string | undefined {
  for (const [what, values] of [
    ['id', providers.map(({ id }) => id)],
    ['mail domain', providers.flatMap(({ mail_domains }) => mail_domains)],
  ] as const) {
    const twice = values.find((value, i) => values.indexOf(value) < i)
    if (twice !== undefined) return `two identity providers have the ${what} ${twice}`
  }
  return undefined
}

/** The provider, or what is wrong with the entry. */
function readProvider(entry: Record<string, unknown>): OidcProvider | string {
  const { id, name = id, issuer, client_id, client_secret = '', role_claim = '', ...more } = entry
  const { role_map = {}, mail_domains = [], trusted_mail_domains = [], ...unknown } = more
  const [stray] = Object.keys(unknown)
  if (stray !== undefined) return `has the unknown field ${stray}`
  const texts = { id, name, issuer, client_id, client_secret, role_claim }
  const wrong = Object.entries(texts).find(([, text]) => typeof text !== 'string')
  if (wrong) return `needs the text ${wrong[0]}`
  const fields = texts as Record<keyof typeof texts, string>
  if (!ID.test(fields.id)) return 'needs an id of small letters, digits and hyphens'
  if (!isIssuer(fields.issuer)) return 'needs an issuer that is https, or http of this host'
  if (fields.client_id === '') return 'needs the text client_id'
  if (!isListOfTexts(mail_domains)) return 'needs mail_domains as a list of texts'
  if (!isListOfTexts(trusted_mail_domains)) return 'needs trusted_mail_domains as a list of texts'
  if (trusted_mail_domains.length > 0 && SHARED_TENANT.test(fields.issuer)) {
    return 'has trusted_mail_domains, but anyone can have a tenant at its issuer'
  }
  const roles = readRoles(role_map)
  if (!roles) return 'needs a role_map such as {"devs": "member@acme"}'
  return {
    ...fields,
    client_secret: fields.client_secret || undefined,
    role_claim: fields.role_claim || undefined,
    mail_domains: mail_domains.map(domain => domain.toLowerCase()),
    trusted_mail_domains: trusted_mail_domains.map(domain => domain.toLowerCase()),
    role_map: roles,
  }
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(entry => typeof entry === 'string')
}

/** `ROLE@ORG`, as in the admin command. */
function readRoles(given: unknown): OidcProvider['role_map'] | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const roles: OidcProvider['role_map'] = {}
  for (const [value, place] of Object.entries(given)) {
    const [, role, org] = PLACE.exec(String(place)) ?? []
    if (role === undefined || org === undefined) return undefined
    roles[value] = { role, org }
  }
  return roles
}

/** Plain HTTP could be intercepted by anyone, unless it stays on this host. */
function isIssuer(address: string): boolean {
  if (!parseUrl(address) || /[?#@]/.test(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
