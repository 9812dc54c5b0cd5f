// Attests the output files of tools. Parses the files here, and stores them with the results.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EvidenceFile } from '@waybill/evidence-files'
import { defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { requiredText, textOr, toggle } from '../../program/flags.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import { ARTIFACT_ARGUMENT, ATTEST_FLAGS, attest } from './attest.ts'

type Reader = typeof import('@waybill/evidence-files')

const UPLOAD = toggle('keep the file with the attestation', true)

export const parsedAttestations = [
  defineCommand({
    words: ['attest', 'junit'],
    summary: 'record test results from JUnit XML files',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      'results-dir': textOr('the folder with the XML files', '.', { short: 'R', placeholder: '<folder>' }),
      'upload-results': UPLOAD,
    },
    needs: 'org',
    operations: ['reportJunitAttestation'],
    is_recorded: true,
    examples: ['attest junit --name backend.unit-tests --results-dir build/test-results --flow backend-ci'],
    run: async ({ args, flags, context }) => {
      const folder = flags['results-dir']
      const names = listXmlFiles(resolve(context.system.cwd, folder))
      const { junit_results, files, warnings } = await readWith(reader =>
        reader.readJunit(names.map(name => openFile(reader, join(folder, name), context))),
      )
      for (const warning of warnings) context.output.say(`Warning: ${warning}`)
      if (junit_results.length === 0)
        failUsage(
          `--results-dir: there are no test suites in ${folder}`,
          'No tests are no evidence of passed tests.',
        )
      const kept = flags['upload-results'] ? files : []
      return attest({ kind: 'junit', fields: { junit_results }, files: kept }, args.artifact, flags, context)
    },
  }),
  defineCommand({
    words: ['attest', 'snyk'],
    summary: 'record the results of a Snyk scan, from its SARIF or JSON file',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      'scan-results': requiredText('the file that snyk wrote', { short: 'R', placeholder: '<file>' }),
      'upload-results': UPLOAD,
    },
    needs: 'org',
    operations: ['reportSnykAttestation'],
    is_recorded: true,
    examples: ['attest snyk --name backend.scan --scan-results snyk.sarif --flow backend-ci'],
    run: async ({ args, flags, context }) => {
      const file = flags['scan-results']
      const { snyk_results, truncated } = await readWith(reader =>
        reader.readSnyk(openFile(reader, file, context)),
      )
      if (truncated > 0) context.output.say(`${truncated} findings are counted but not listed.`)
      const files = flags['upload-results'] ? [file] : []
      return attest({ kind: 'snyk', fields: { snyk_results }, files }, args.artifact, flags, context)
    },
  }),
  defineCommand({
    words: ['attest', 'sbom'],
    summary: 'record an SBOM: CycloneDX or SPDX',
    args: [ARTIFACT_ARGUMENT],
    flags: { ...ATTEST_FLAGS, 'sbom-file': requiredText('the SBOM', { placeholder: '<file>' }) },
    needs: 'org',
    operations: ['reportSystemAttestation'],
    is_recorded: true,
    examples: ['attest sbom --name backend.sbom --sbom-file bom.cdx.json --flow backend-ci'],
    run: async ({ args, flags, context }) => {
      const file = flags['sbom-file']
      const fields = await readWith(reader => reader.readSbom(openFile(reader, file, context)))
      const { format, original_fingerprint } = fields.attestation_data
      const annotate = { sbom_format: format, sbom_sha256: original_fingerprint, ...flags.annotate }
      return attest(
        { kind: 'system', label: 'SBOM', fields: { ...fields }, files: [file] },
        args.artifact,
        { ...flags, annotate },
        context,
      )
    },
  }),
]

/** Loaded only when a file is read, to keep the start of the program fast. */
export async function readWith<T>(read: (reader: Reader) => T): Promise<T> {
  const reader = await import('@waybill/evidence-files')
  try {
    return read(reader)
  } catch (error) {
    if (!(error instanceof reader.EvidenceProblem)) throw error
    throw new Problem(error.message, { exit: 'usage' })
  }
}

export function openFile(reader: Reader, path: string, { system }: Context): EvidenceFile {
  let bytes: Buffer
  try {
    bytes = readFileSync(resolve(system.cwd, path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    failUsage(code === 'ENOENT' ? `${path} does not exist` : message)
  }
  return reader.openEvidence(path, bytes)
}

function listXmlFiles(folder: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    failUsage(`--results-dir: ${folder} is not a folder`)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.toLowerCase().endsWith('.xml'))
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
