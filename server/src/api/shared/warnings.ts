// Warnings about input that is accepted but probably not intended. Existing clients fix the response body, so warnings
// are sent in a header; later reads of the resource include them in the body.
import { Type } from 'typebox'
import { about, Closed } from './wire.ts'

const MAX_WARNINGS = 20

export const Warning = Closed('Warning', {
  field: Type.String(
    about('Field that contains the probable mistake', 'template.trail.attestations[load].type'),
  ),
  message: Type.String(
    about('The probable mistake, and why it is one', "The custom attestation type 'load' does not exist"),
  ),
})

export interface Warning {
  field: string
  message: string
}

/** `Waybill-Warnings`: a JSON list, in ASCII because it is a header. */
export function buildWarningHeaders(warnings: readonly Warning[]): Record<string, string> {
  if (warnings.length === 0) return {}
  const shown = warnings.slice(0, MAX_WARNINGS).map(({ field, message }) => ({ field, message }))
  return { 'waybill-warnings': escapeNonAscii(JSON.stringify(shown)) }
}

function escapeNonAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
