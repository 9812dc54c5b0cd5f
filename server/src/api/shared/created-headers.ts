// What a write made, beside the body that the contract fixes: where it can be read, and its id.
import { toWireId } from '../../lib/ids.ts'

export const CREATED_HEADERS = ['Location', 'Waybill-Id'] as const

/** `path` below /api/v2; without an id, only where it is. */
export function buildCreatedHeaders(
  base_url: string,
  path: readonly string[],
  id?: string | null,
): Record<string, string> {
  return {
    location: `${base_url}/api/v2/${path.map(encodeURIComponent).join('/')}`,
    ...(id ? { 'waybill-id': toWireId(id) } : {}),
  }
}
