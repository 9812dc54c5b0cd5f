// The common part of all attestations: their place on a trail, the artifact they are about, commit, links and
// files.

import {
  checkFingerprint,
  FINGERPRINT_FLAGS,
  type FingerprintValues,
  fingerprintArtifact,
} from '../../artifacts/fingerprint.ts'
import { countAcceptedFiles } from '../../evidence/accepted-files.ts'
import { collectAttachments } from '../../evidence/attachments.ts'
import type { Part } from '../../http/multipart.ts'
import { dropMissing } from '../../lib/drop-missing.ts'
import { optionalArgument } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import type { Exit } from '../../program/exit-codes.ts'
import { list, pairs, requiredText, text, type ValuesOf } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import { COMMIT_FLAGS, flow, LINK_FLAGS, REPOSITORY_FLAGS, readJsonFile, readProvenance } from '../flags.ts'
import { explainLapse } from '../lapsed-request.ts'
import { recordWrite } from '../record.ts'

export const ARTIFACT_ARGUMENT = optionalArgument(
  'artifact',
  'the file, folder or image that it is about; without it, the trail as a whole',
)

export const ATTEST_FLAGS = {
  name: requiredText(
    'the name of the attestation; artifact.name for one of an artifact that is not built yet',
    {
      short: 'n',
      placeholder: '<name>',
    },
  ),
  flow,
  trail: text('the trail; in CI, the commit by default', { short: 'T', placeholder: '<trail>' }),
  fingerprint: text('the SHA-256 of the artifact, instead of the artifact itself', {
    short: 'F',
    placeholder: '<sha256>',
  }),
  ...FINGERPRINT_FLAGS,
  ...COMMIT_FLAGS,
  ...REPOSITORY_FLAGS,
  ...LINK_FLAGS,
  description: text('a note for people', { placeholder: '<text>' }),
  annotate: pairs('a label'),
  'user-data': text('a JSON file that is kept with it', { short: 'u', placeholder: '<file>' }),
  attachments: list('files or folders that are kept with it', { placeholder: '<path>' }),
  'origin-url': text('the page that it comes from', { placeholder: '<url>', from_ci: 'build_url' }),
} as const

export type AttestValues = ValuesOf<Omit<typeof ATTEST_FLAGS, 'origin-url'>> & {
  'origin-url': string | undefined
}

export interface Attestation {
  /** The last part of the path, such as `junit`. */
  kind: string
  /** The name in messages. */
  label?: string
  /** The fields specific to this kind. */
  fields: Readonly<Record<string, unknown>>
  /** Evidence files besides the attachments. */
  files?: readonly string[]
  json_only?: boolean
}

export async function attest(
  attestation: Attestation,
  artifact: string | undefined,
  flags: AttestValues,
  context: Context,
): Promise<Exit> {
  const { attestation_name, target_artifacts } = splitName(flags.name)
  const trail = requireTrail(flags.trail, flags.commit)
  const artifact_fingerprint = await findFingerprint(artifact, flags, context)
  if (target_artifacts !== undefined && artifact_fingerprint === undefined && flags.commit === undefined)
    failUsage(
      `--name ${flags.name} is about an artifact that is not built yet, so the commit must tell which`,
      'Give --commit, --fingerprint or the artifact.',
    )
  const { cwd } = context.system
  const json = dropMissing({
    attestation_name,
    artifact_fingerprint,
    target_artifacts,
    ...(await readProvenance(flags, context)),
    origin_url: flags['origin-url'],
    user_data: readJsonFile(flags['user-data'], 'user-data', cwd),
    description: flags.description,
    annotations: Object.keys(flags.annotate).length === 0 ? undefined : flags.annotate,
    ...attestation.fields,
  })
  const files: Part[] = await collectAttachments([...(attestation.files ?? []), ...flags.attachments], {
    cwd,
    countAccepted: () => countAcceptedFiles(context),
  })
  const label = attestation.label ?? attestation.kind
  return recordWrite(
    {
      method: 'POST',
      template: `/attestations/{org}/{flow_name}/trail/{trail_name}/${attestation.kind}`,
      params: { flow_name: flags.flow, trail_name: trail },
      stream: `trail/${flags.flow}/${trail}`,
      json,
      ...(attestation.json_only ? {} : { json_part: 'data_json', files }),
      describe: ({ status, json: answer }) => {
        const what = `${label} ${attestation_name} on trail ${trail} of flow ${flags.flow}`
        // Only an override can wait.
        return status === 202
          ? `The ${what} waits for another person before it counts${explainLapse(answer)}`
          : `Recorded ${what}`
      },
    },
    context,
  )
}

/** `backend.unit-tests` is the attestation `unit-tests` of the artifact that the template calls `backend`. */
function splitName(name: string): { attestation_name: string; target_artifacts?: string[] } {
  const at = name.indexOf('.')
  if (at === -1) return { attestation_name: name }
  const [target, attestation_name] = [name.slice(0, at), name.slice(at + 1)]
  if (target === '' || attestation_name === '' || attestation_name.includes('.'))
    failUsage(`--name: "${name}" is neither a name nor artifact.name`)
  return { attestation_name, target_artifacts: [target] }
}

export function requireTrail(trail: string | undefined, commit: string | undefined): string {
  return trail ?? commit ?? failUsage('--trail is missing: the trail', 'In CI, it is the commit by default.')
}

async function findFingerprint(
  artifact: string | undefined,
  flags: FingerprintValues & { fingerprint: string | undefined },
  context: Context,
): Promise<string | undefined> {
  if (flags.fingerprint !== undefined) return checkFingerprint(flags.fingerprint)
  if (artifact === undefined) return undefined
  return (await fingerprintArtifact(artifact, flags, context)).fingerprint
}
