// Finds out how many files the service accepts per attestation. Earlier versions accept one.
import { buildUrl } from '../http/api.ts'
import { ConnectionProblem, readBody } from '../http/exchange.ts'
import type { Context } from '../program/context.ts'

/**
 * The limit of the service in this version. Used if the service is down, because it receives the spooled
 * write later.
 */
const MOST_FILES = 10
const OK = 200

export async function countAcceptedFiles({
  is_dry_run,
  exchange,
  host,
  timeout_ms,
}: Context): Promise<number> {
  if (is_dry_run) return MOST_FILES
  try {
    const answer = await exchange({
      method: 'GET',
      url: buildUrl(host, { path: '/meta' }),
      headers: { accept: 'application/json' },
      timeout_ms,
    })
    const bytes = await readBody(answer)
    return answer.status === OK ? readLimit(JSON.parse(bytes.toString('utf8'))) : MOST_FILES
  } catch (error) {
    // No response, or a response from something other than the service.
    if (error instanceof ConnectionProblem || error instanceof SyntaxError) return MOST_FILES
    throw error
  }
}

function readLimit(meta: unknown): number {
  const { limits } = (meta ?? {}) as { limits?: { evidence_files?: unknown } }
  return typeof limits?.evidence_files === 'number' ? limits.evidence_files : 1
}
