// Attests the output files of tools. Parses the files here, and stores them with the results.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EvidenceFile } from '@waybill/evidence-files'
import { defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { requiredText, textOr, toggle } from '../../program/flags.ts'
import { failUsage, Problem } from '../../program/problem.ts'
import { ARTIFACT_ARGUMENT, ATTEST_FLAGS, attest } from './attest.ts'
import { chooseTestResults, describeSkipped, listResultFiles } from './test-results.ts'

type Reader = typeof import('@waybill/evidence-files')

const UPLOAD = toggle('keep the file with the attestation', true)

export const parsedAttestations = [
  defineCommand({
    words: ['attest', 'junit'],
    summary: 'record test results from JUnit XML files',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      'results-dir': textOr('the folder with the XML files, or one file', '.', {
        short: 'R',
        placeholder: '<folder>',
      }),
      'upload-results': UPLOAD,
    },
    needs: 'org',
    operations: ['reportJunitAttestation'],
    is_recorded: true,
    examples: ['attest junit --name backend.unit-tests --results-dir build/test-results --flow backend-ci'],
    run: async ({ args, flags, context }) => {
      const folder = flags['results-dir']
      const paths = listResultFiles(folder, context)
      const { report, skipped } = await readWith(reader => {
        const chosen = chooseTestResults(reader, paths, path => openFile(reader, path, context))
        return { ...chosen, report: chosen.files.length === 0 ? undefined : reader.readJunit(chosen.files) }
      })
      if (skipped.length > 0) context.output.say(describeSkipped(skipped))
      const { junit_results = [], files = [], warnings = [] } = report ?? {}
      for (const warning of warnings) context.output.say(`Warning: ${warning}`)
      if (junit_results.every(({ total, skipped }) => total === skipped))
        failUsage(
          `--results-dir: no test ran, by the files in ${folder}`,
          'That is no evidence of passed tests.',
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
      const { snyk_results, truncated } = await readWith(reader => {
        const opened = openFile(reader, file, context)
        reader.expectKind(opened, 'snyk')
        return reader.readSnyk(opened)
      })
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
      const fields = await readWith(reader => {
        const opened = openFile(reader, file, context)
        reader.expectKind(opened, 'sbom')
        return reader.readSbom(opened)
      })
      const { format, original_fingerprint, document } = fields.attestation_data
      if (document.package_count === 0)
        failUsage(`${file} lists no packages`, 'An empty SBOM is no evidence of what is in an artifact.')
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
