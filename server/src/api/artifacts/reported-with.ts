// The report's own claims: when its content was collected, and how the fingerprint was computed.
import { FINGERPRINT_METHODS } from '../../domain/fingerprint-methods.ts'
import { COLLECTED, toWireCollected } from '../shared/collected.ts'
import { about, Nullable, OneOf } from '../shared/wire.ts'
import type { ArtifactReport } from './store.ts'

export const FingerprintMethod = OneOf(
  [...FINGERPRINT_METHODS],
  about('How the fingerprint was computed: of a file, a folder (two ways) or an image', 'oci'),
)

/** The fields of a response. */
export const REPORTED_WITH = {
  ...COLLECTED,
  fingerprint_method: Nullable(
    FingerprintMethod,
    about('How the fingerprint was computed; null if not stated', 'oci'),
  ),
}

export function toReportedWith(report: ArtifactReport) {
  return { ...toWireCollected(report), fingerprint_method: report.fingerprint_method ?? null }
}
