// Exchanges the identity token of the job for an API key, which is valid for 15 minutes.
import { type Api, fillPath } from '../http/api.ts'
import { failUsage, Problem } from '../program/problem.ts'
import type { CiKey, KeyStore } from './stored-key.ts'
import { getIdToken, type IdToken, type TokenRequest } from './tokens.ts'

export interface KeyRequest extends Omit<TokenRequest, 'audience'> {
  host: string
  org: string
  audience: string | undefined
  /** Sends no credential. */
  api: Api
  /** Stores the key if the job gets only one token. */
  keys: KeyStore
  /** Hides the key in the log of the job. */
  mask(secret: string): void
}

export const getAudience = ({ audience, host, org }: Pick<KeyRequest, 'audience' | 'host' | 'org'>) =>
  audience ?? `${host}/${org}`

export async function exchangeToken(request: KeyRequest): Promise<CiKey> {
  const { org, host, keys } = request
  if (org === '') failUsage('--org is missing: the organization', 'Give the flag, or set WAYBILL_ORG.')
  const found = await getIdToken({ ...request, audience: getAudience(request) })
  if (!found.is_only_one) return exchange(found, request)
  const exchanged = { host, org, token: found.token }
  const known = keys.find(exchanged)
  if (known !== undefined) return known
  try {
    const key = await exchange(found, request)
    keys.keep(exchanged, key)
    return key
  } catch (error) {
    // Another command of the job may have exchanged the token first.
    const other = keys.find(exchanged)
    if (other !== undefined) return other
    throw error
  }
}

async function exchange(found: IdToken, { api, org, mask }: KeyRequest): Promise<CiKey> {
  const path = fillPath('/keyless/{org}/exchange', { org })
  try {
    const { json } = await api.call({ method: 'POST', path, json: { token: found.token } })
    const key = readKey(json)
    // Before anything can print it.
    mask(key.key)
    return key
  } catch (error) {
    if (error instanceof Problem && error.exit === 'not_allowed') throw explainRefusal(found, error)
    throw error
  }
}

/** The service does not give a reason, because anyone can send this request. */
function explainRefusal({ from, is_only_one }: IdToken, { request_id }: Problem): Problem {
  const hints = [
    'No trust rule of the organization fits: "waybill ci keyless-rule" prints the one that this job needs.',
    ...(is_only_one
      ? [
          'Or the token was used before: this job has only one, and its key is valid for 15 minutes. Run the commands of waybill together, or in a job of their own.',
        ]
      : []),
    'The log of the service says why.',
  ]
  return new Problem(`The service does not accept the identity token (${from})`, {
    exit: 'not_allowed',
    hint: hints.join('\n'),
    request_id,
  })
}

function readKey(json: unknown): CiKey {
  const { key, expires_at, rule } = (json ?? {}) as Partial<CiKey>
  if (typeof key !== 'string' || typeof expires_at !== 'number' || typeof rule !== 'string')
    throw new Problem('The service did not answer with a key', { exit: 'failure' })
  return { key, expires_at, rule }
}
