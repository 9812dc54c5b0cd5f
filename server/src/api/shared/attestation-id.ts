// The query parameter `attestation_id`.
import { invalid } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { formatInput } from '../../lib/sentences.ts'

/** Null if it is missing or empty: clients send unset filters as empty strings. */
export function readAttestationId({ attestation_id }: { attestation_id?: string }): string | null {
  if (!attestation_id) return null
  const id = parseWireId(attestation_id)
  if (id !== undefined) return id
  throw invalid({ 'query.attestation_id': `Input should be an id [input: ${formatInput(attestation_id)}]` })
}
