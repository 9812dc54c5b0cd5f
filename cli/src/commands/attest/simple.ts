// Attestations whose content comes from the command line: generic, custom, decisions and overrides.
import { dropMissing } from '../../lib/drop-missing.ts'
import { defineCommand } from '../../program/command.ts'
import { list, requiredText, text, toggle, type ValuesOf } from '../../program/flags.ts'
import { readJsonFile } from '../flags.ts'
import { readTime } from '../times.ts'
import { ARTIFACT_ARGUMENT, ATTEST_FLAGS, attest } from './attest.ts'

const { attachments: _, ...WITHOUT_FILES } = ATTEST_FLAGS

/** Named like the flag of the commands that read files. */
const WITH_FILES = {
  ...ATTEST_FLAGS,
  file: list('the same as --attachments', { placeholder: '<path>' }),
} as const

const joinFiles = (flags: ValuesOf<typeof WITH_FILES>) => ({
  ...flags,
  attachments: [...flags.attachments, ...flags.file],
})

export const simpleAttestations = [
  defineCommand({
    words: ['attest', 'generic'],
    summary: 'record evidence of any kind',
    args: [ARTIFACT_ARGUMENT],
    flags: { ...WITH_FILES, compliant: toggle('whether it is compliant', true, { short: 'C' }) },
    needs: 'org',
    operations: ['reportGenericAttestation'],
    is_recorded: true,
    examples: ['attest generic --name pen-test --flow backend-ci --trail v1.2 --attachments report.pdf'],
    run: ({ args, flags, context }) =>
      attest(
        { kind: 'generic', fields: { is_compliant: flags.compliant } },
        args.artifact,
        joinFiles(flags),
        context,
      ),
  }),
  defineCommand({
    words: ['attest', 'custom'],
    summary: 'record data of a type that the organization has defined; its rules decide',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...WITH_FILES,
      type: requiredText('the attestation type', { placeholder: '<type>' }),
      'attestation-data': requiredText('a JSON file with the data', { placeholder: '<file>' }),
    },
    needs: 'org',
    operations: ['reportCustomAttestation'],
    is_recorded: true,
    examples: [
      'attest custom --type coverage --attestation-data coverage.json --name coverage --flow backend-ci',
    ],
    run: ({ args, flags, context }) => {
      const attestation_data = readJsonFile(flags['attestation-data'], 'attestation-data', context.system.cwd)
      return attest(
        { kind: 'custom', label: flags.type, fields: { type_name: flags.type, attestation_data } },
        args.artifact,
        joinFiles(flags),
        context,
      )
    },
  }),
  defineCommand({
    words: ['attest', 'decision'],
    summary: 'record the decision of a person about a control',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...WITH_FILES,
      control: requiredText('the control that is decided about', { placeholder: '<identifier>' }),
      compliant: toggle('whether the control is met', true, { short: 'C' }),
      'expires-at': text('when it stops to count: a date, a time or seconds since 1970', {
        placeholder: '<time>',
      }),
    },
    needs: 'org',
    operations: ['reportSystemAttestation'],
    is_recorded: true,
    examples: [
      'attest decision --control SDLC-1 --name reviewed --flow backend-ci --trail v1.2',
      'attest decision --control SDLC-4 --name accepted-risk --flow backend-ci --trail v1.2 --expires-at 2027-01-01',
    ],
    run: ({ args, flags, context }) =>
      attest(
        {
          kind: 'system',
          label: 'decision',
          fields: dropMissing({
            type_name: 'decision',
            control: flags.control,
            expires_at: readTime(flags['expires-at'], 'expires-at'),
            attestation_data: { is_compliant: flags.compliant },
          }),
        },
        args.artifact,
        joinFiles(flags),
        context,
      ),
  }),
  defineCommand({
    words: ['attest', 'override'],
    summary: 'override the verdict of an attestation, with a reason',
    args: [ARTIFACT_ARGUMENT],
    flags: {
      ...WITHOUT_FILES,
      reason: requiredText('why', { placeholder: '<text>' }),
      'new-compliance-status': toggle('the new verdict', true),
      'original-attestation-type': requiredText(
        'the type of the attestation, such as junit or custom:coverage',
        {
          placeholder: '<type>',
        },
      ),
      attachments: list('not possible: an override has a reason and no files', { is_hidden: true }),
    },
    needs: 'org',
    operations: ['reportOverride'],
    is_recorded: true,
    examples: [
      "attest override --name coverage --original-attestation-type custom:coverage --reason 'Generated code' --flow backend-ci --trail v1.2",
    ],
    run: ({ args, flags, context }) =>
      attest(
        {
          kind: 'override',
          json_only: true,
          fields: dropMissing({
            reason: flags.reason,
            new_compliance_status: flags['new-compliance-status'],
            original_attestation_type: flags['original-attestation-type'],
          }),
        },
        args.artifact,
        flags,
        context,
      ),
  }),
]
