// The files of an attestation, checked against the server's limits before anything is sent.
import { formatBytes } from '../../../ui/bytes.ts'
import { attestTexts as texts } from './texts.ts'

const MIB = 1024 * 1024
const MAX_FILES = 10
const MAX_FILE_BYTES = 64 * MIB
const MAX_TOTAL_BYTES = 256 * MIB

export function findFileProblem(files: readonly File[]): string | undefined {
  if (files.length > MAX_FILES) return texts.attest.tooManyFiles
  const large = files.find(({ size }) => size > MAX_FILE_BYTES)
  if (large) return texts.attest.fileTooLarge(large.name, formatBytes(large.size))
  const total = files.reduce((sum, { size }) => sum + size, 0)
  return total > MAX_TOTAL_BYTES ? texts.attest.filesTooLarge(formatBytes(total)) : undefined
}
