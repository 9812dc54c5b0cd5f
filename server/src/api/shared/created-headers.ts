// The headers that identify a created resource: its URL and its id. Existing clients fix the body of such a response.
import { toWireId } from '../../lib/ids.ts'

export const CREATED_HEADERS = ['Location', 'Waybill-Id'] as const

/** `path` is relative to /api/v2. Without an id, only the location is returned. */
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
