// The data of a custom attestation: any JSON within the API's size limit.
import type { EvidenceFile } from './evidence-file.ts'
import { readJson } from './json-file.ts'
import { EvidenceProblem } from './problem.ts'

const MAX_BYTES = 1024 * 1024

export function readCustom(file: EvidenceFile): { attestation_data: unknown } {
  const { value } = readJson(file)
  // The JSON as it is sent, without the file's whitespace.
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= MAX_BYTES) return { attestation_data: value }
  const sentence = `expected at most ${MAX_BYTES} bytes of JSON, found ${bytes}. Attach the file, and attest a summary of it.`
  throw new EvidenceProblem(file.name, undefined, sentence)
}
