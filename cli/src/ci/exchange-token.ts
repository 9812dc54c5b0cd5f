// Exchanges the identity token of the job for a key of the service, which is valid for 15 minutes.
import { type Api, fillPath } from '../http/api.ts'
import { failUsage, Problem } from '../program/problem.ts'
import { getIdToken, type IdToken, type TokenRequest } from './tokens.ts'

export interface CiKey {
  key: string
  expires_at: number
  rule: string
}

export interface KeyRequest extends Omit<TokenRequest, 'audience'> {
  host: string
  org: string
  audience: string | undefined
  /** Sends no credential. */
  api: Api
}

export const getAudience = ({ audience, host, org }: Pick<KeyRequest, 'audience' | 'host' | 'org'>) =>
  audience ?? `${host}/${org}`

export async function exchangeToken(request: KeyRequest): Promise<CiKey> {
  const { api, org } = request
  if (org === '') failUsage('--org is missing: the organization', 'Give the flag, or set WAYBILL_ORG.')
  const found = await getIdToken({ ...request, audience: getAudience(request) })
  const path = fillPath('/keyless/{org}/exchange', { org })
  try {
    const { json } = await api.call({ method: 'POST', path, json: { token: found.token } })
    return readKey(json)
  } catch (error) {
    if (error instanceof Problem && error.exit === 'not_allowed') throw explainRefusal(found, error)
    throw error
  }
}

/** The service does not say why, because anybody can ask. */
function explainRefusal({ from, is_only_one }: IdToken, { request_id }: Problem): Problem {
  const hints = [
    'No trust rule of the organization fits: "waybill ci keyless-rule" prints the one that this job needs.',
    ...(is_only_one
      ? [
          'Or the token was used before: this job has only one. Run "waybill login --ci" once, and let the commands after it use the key.',
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
