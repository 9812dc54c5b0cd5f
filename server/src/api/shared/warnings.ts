// What was accepted but is probably not what was meant. The body of such an answer is fixed, so that warnings travel in a
// header; whoever reads the resource later finds them in its body.
import { Type } from 'typebox'
import { Closed } from './wire.ts'

const MOST_WARNINGS = 20

export const Warning = Closed('Warning', { field: Type.String(), message: Type.String() })

export interface Warning {
  field: string
  message: string
}

/** `Waybill-Warnings`: a JSON list, in ASCII as headers must be. */
export function buildWarningHeaders(warnings: readonly Warning[]): Record<string, string> {
  if (warnings.length === 0) return {}
  const shown = warnings.slice(0, MOST_WARNINGS).map(({ field, message }) => ({ field, message }))
  return { 'waybill-warnings': escapeNonAscii(JSON.stringify(shown)) }
}

function escapeNonAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
