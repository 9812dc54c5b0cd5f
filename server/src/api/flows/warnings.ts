// Warnings about valid templates that are probably mistakes: custom types that do not exist.
import type { Warning } from '../shared/warnings.ts'
import type { UnknownType } from './store.ts'

export function listTemplateWarnings(unknown: readonly UnknownType[]): Warning[] {
  return unknown.map(({ artifact_name, name, type }) => {
    const where = artifact_name === '' ? 'trail' : `trail.artifacts[${artifact_name}]`
    const missing = type.slice('custom:'.length)
    return {
      field: `template.${where}.attestations[${name}].type`,
      message: `The custom attestation type '${missing}' does not exist; nothing can fill '${name}' until it is created`,
    }
  })
}
