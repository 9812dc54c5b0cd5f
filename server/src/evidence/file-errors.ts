// Recognizes file system errors, and which of them are the fault of the disk.
import { type EvidenceFault, evidenceAway, evidenceFull } from '../lib/errors.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const AWAY = new Set([
  'EACCES',
  'EBUSY',
  'EIO',
  'ELOOP',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOENT',
  'ENOTDIR',
  'ENXIO',
  'EPERM',
  'EROFS',
  'ESTALE',
])

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code
}

/** Undefined for errors that do not come from a disk, such as errors of the sender's connection. */
export function toDiskFault(error: unknown): EvidenceFault | undefined {
  const { code = '' } = (error ?? {}) as { code?: string }
  if (FULL.has(code)) return evidenceFull(error)
  return AWAY.has(code) ? evidenceAway(code, error) : undefined
}
