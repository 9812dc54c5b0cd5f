// Reads the identity providers from the settings: one from plain settings, and a JSON list of more. Error messages
// never show the given values, because they contain secrets.
import { findRepeated, isIssuer, readJsonList, readText, readUrlWithScheme } from './readers.ts'
import {
  defineOptional,
  defineSetting,
  type Environment,
  makeReader,
  SettingProblem,
  type Settings,
} from './setting.ts'

export const OIDC_SETTINGS = {
  WAYBILL_OIDC_ISSUER: defineOptional({
    meaning:
      'identity provider, `https://`, or `http://` on this host; see [identity providers](people.md#identity-providers)',
    unset: 'unset',
    example: 'https://login.acme.example',
    parse: readUrlWithScheme('https', 'http'),
  }),
  WAYBILL_OIDC_CLIENT_ID: defineOptional({
    meaning: 'client id at the identity provider',
    unset: 'unset',
    example: 'waybill',
    parse: readText,
  }),
  WAYBILL_OIDC_CLIENT_SECRET: defineOptional({
    meaning: 'client secret at the identity provider; unset for a public client',
    unset: 'unset',
    example: 'the-secret-of-the-client',
    is_secret: true,
    parse: readText,
  }),
  WAYBILL_OIDC_NAME: defineSetting({
    meaning: 'name of the identity provider on the sign-in button',
    default: 'single sign-on',
    example: 'Acme',
    parse: readText,
  }),
  WAYBILL_OIDC_PROVIDERS: defineSetting({
    meaning:
      'more [identity providers](people.md#identity-providers), as a JSON list; one per mail domain if wanted',
    default: '[]',
    example:
      '[{"id": "acme", "issuer": "https://login.acme.example", "client_id": "waybill", "mail_domains": ["acme.example"]}]',
    is_secret: true,
    parse: readJsonList(readProvider),
  }),
} satisfies Settings

export interface OidcProvider {
  /** Part of the redirect URL. */
  id: string
  name: string
  issuer: string
  client_id: string
  client_secret: string | undefined
  mail_domains: string[]
  /** Domains whose addresses are trusted although the provider does not state whether they are verified. */
  trusted_mail_domains: string[]
  role_claim: string | undefined
  /** Maps a value of the claim to a role in an organization. */
  role_map: Record<string, { role: string; org: string }>
}

const ID = /^[a-z0-9][a-z0-9-]{0,31}$/
const PLACE = /^(admin|member|snapshotter|reader)@([a-zA-Z0-9][a-zA-Z0-9\-_.]*)$/
/** Issuers where people of every tenant sign in: the admin of any tenant chooses the addresses there. */
const SHARED_TENANT = /^https:\/\/login\.[^/]+\/(common|organizations|consumers)(\/|$)/i

export function readOidcProviders(environment: Environment): OidcProvider[] {
  const read = makeReader(OIDC_SETTINGS, environment)
  const plain = readPlainProvider({
    name: read('WAYBILL_OIDC_NAME'),
    issuer: read('WAYBILL_OIDC_ISSUER'),
    client_id: read('WAYBILL_OIDC_CLIENT_ID'),
    client_secret: read('WAYBILL_OIDC_CLIENT_SECRET'),
  })
  const providers = [...plain, ...read('WAYBILL_OIDC_PROVIDERS')]
  const problem = findDuplicate(providers)
  if (problem !== undefined) throw new SettingProblem(`WAYBILL_OIDC_PROVIDERS: ${problem}`)
  return providers
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
    throw new SettingProblem('WAYBILL_OIDC_ISSUER is needed with WAYBILL_OIDC_CLIENT_ID')
  }
  if (client_id === undefined)
    throw new SettingProblem('WAYBILL_OIDC_CLIENT_ID is needed with WAYBILL_OIDC_ISSUER')
  if (!isIssuer(issuer)) throw new SettingProblem('WAYBILL_OIDC_ISSUER must be https, or http of this host')
  const unbound = { mail_domains: [], trusted_mail_domains: [], role_claim: undefined, role_map: {} }
  return [{ id: 'sso', name, issuer, client_id, client_secret, ...unbound }]
}

/** A value that two providers share although it must be unique. */
function findDuplicate(providers: readonly OidcProvider[]): string | undefined {
  for (const [what, values] of [
    ['id', providers.map(({ id }) => id)],
    ['mail domain', providers.flatMap(({ mail_domains }) => mail_domains)],
  ] as const) {
    const twice = findRepeated(values)
    if (twice !== undefined) return `two identity providers have the ${what} ${twice}`
  }
  return undefined
}

/** The provider, or the problem with the entry. */
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
