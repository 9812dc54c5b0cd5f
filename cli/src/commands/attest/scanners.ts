// Attests the results of tools without an API operation of their own: custom types, whose rules this program
// can create.
import { defineCommand } from '../../program/command.ts'
import { requiredText, textOr, toggle } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import { ARTIFACT_ARGUMENT, ATTEST_FLAGS, attest } from './attest.ts'
import { openFile, readWith } from './parsed.ts'

type Reader = typeof import('@waybill/evidence-files')
type EvidenceFile = ReturnType<Reader['openEvidence']>

interface Scanner {
  word: Word
  summary: string
  read(reader: Reader, file: EvidenceFile): object
}

type Word = 'cobertura' | 'ctrf' | 'gitleaks' | 'grype' | 'sarif' | 'trivy'

const SCANNERS: readonly Scanner[] = [
  {
    word: 'sarif',
    summary: 'record the findings of a SARIF file',
    read: (reader, file) => reader.readSarif(file),
  },
  {
    word: 'ctrf',
    summary: 'record test results in the format CTRF',
    read: (reader, file) => reader.readCtrf(file),
  },
  {
    word: 'cobertura',
    summary: 'record test coverage from a Cobertura XML file',
    read: (reader, file) => reader.readCobertura(file),
  },
  { word: 'trivy', summary: 'record the findings of Trivy', read: (reader, file) => reader.readTrivy(file) },
  { word: 'grype', summary: 'record the findings of Grype', read: (reader, file) => reader.readGrype(file) },
  {
    word: 'gitleaks',
    summary: 'record the findings of Gitleaks',
    read: (reader, file) => reader.readGitleaks(file),
  },
]

export const scannerAttestations = SCANNERS.map(({ word, summary, read }) =>
  defineCommand({
    words: ['attest', word],
    summary,
    details: `Stored as an attestation of the custom type "${word}". Create the type once with "waybill create attestation-type ${word} --from-preset ${word}".`,
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...ATTEST_FLAGS,
      file: requiredText('the file that the tool wrote', { placeholder: '<file>' }),
      type: textOr('the attestation type', word, { placeholder: '<type>' }),
      'upload-results': toggle('keep the file with the attestation', true),
    },
    needs: 'org',
    operations: ['reportCustomAttestation'],
    is_recorded: true,
    examples: [`attest ${word} --name backend.${word} --file ${word}.out --flow backend-ci`],
    run: async ({ args, flags, context }) => {
      const attestation_data = await readWith(reader => {
        const file = openFile(reader, flags.file, context)
        reader.expectKind(file, word)
        return read(reader, file)
      })
      if (flags['upload-results']) refuseSecrets(flags.file, attestation_data)
      return attest(
        {
          kind: 'custom',
          label: word,
          fields: { type_name: flags.type, attestation_data },
          files: flags['upload-results'] ? [flags.file] : [],
        },
        args.artifact,
        flags,
        context,
      )
    },
  }),
)

/** A report of Gitleaks has the secrets that it found, unless it was told not to. */
function refuseSecrets(file: string, summary: object): void {
  if (!('is_redacted' in summary) || summary.is_redacted) return
  failUsage(
    `${file} contains the secrets that were found`,
    'Run gitleaks with --redact, or add --no-upload-results.',
  )
}
