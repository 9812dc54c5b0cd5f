// Reports that an artifact was built.

import { basename } from 'node:path'
import {
  checkFingerprint,
  FINGERPRINT_FLAGS,
  type Fingerprinted,
  type FingerprintValues,
  fingerprintArtifact,
} from '../../artifacts/fingerprint.ts'
import { dropMissing } from '../../lib/drop-missing.ts'
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { pairs, requiredText, text } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import {
  COMMIT_FLAGS,
  flow,
  LINK_FLAGS,
  REPOSITORY_FLAGS,
  readCommitInfo,
  readJsonFile,
  readProvenance,
  readTextFile,
} from '../flags.ts'
import { recordWrite } from '../record.ts'
import { requireTrail } from './attest.ts'

const REPORT_FLAGS = {
  flow,
  fingerprint: text('the SHA-256 of the artifact, if it is known', { short: 'F', placeholder: '<sha256>' }),
  ...FINGERPRINT_FLAGS,
  'build-url': requiredText('the page of the build', {
    short: 'b',
    placeholder: '<url>',
    from_ci: 'build_url',
  }),
  'commit-url': requiredText('the page of the commit', {
    short: 'u',
    placeholder: '<url>',
    from_ci: 'commit_url',
  }),
  'repo-root': COMMIT_FLAGS['repo-root'],
  'redact-commit-info': COMMIT_FLAGS['redact-commit-info'],
} as const

export const attestArtifact = defineCommand({
  words: ['attest', 'artifact'],
  summary: 'report that an artifact was built, with its fingerprint and commit',
  args: [argument('artifact', 'the file, folder or image')],
  flags: {
    ...REPORT_FLAGS,
    commit: COMMIT_FLAGS.commit,
    name: requiredText('the name of the artifact in the template', { short: 'n', placeholder: '<name>' }),
    'display-name': text('how people call it', { short: 'N', placeholder: '<name>' }),
    trail: text('the trail; in CI, the commit by default', { short: 'T', placeholder: '<trail>' }),
    'template-file': text('the template of the trail, if this begins it', { placeholder: '<file>' }),
    ...REPOSITORY_FLAGS,
    ...LINK_FLAGS,
    description: text('a note for people', { placeholder: '<text>' }),
    annotate: pairs('a label'),
    'user-data': text('a JSON file that is kept with it', { placeholder: '<file>' }),
  },
  needs: 'org',
  operations: ['reportArtifact'],
  is_recorded: true,
  examples: ['attest artifact dist/backend.tgz --name backend --flow backend-ci'],
  run: async ({ args, flags, context }) => {
    const trail = requireTrail(flags.trail, flags.commit)
    const found = await findArtifact(args.artifact ?? '', flags, context)
    const provenance = await readProvenance(flags, context)
    const { cwd } = context.system
    const file = flags['template-file']
    return recordWrite(
      {
        method: 'POST',
        template: '/artifacts/{org}/{flow_name}',
        params: { flow_name: flags.flow },
        stream: `trail/${flags.flow}/${trail}`,
        json: dropMissing({
          fingerprint: found.fingerprint,
          filename: flags['display-name'] ?? found.name,
          git_commit: provenance.git_commit_info?.sha1,
          ...provenance,
          build_url: flags['build-url'],
          commit_url: flags['commit-url'],
          trail_name: trail,
          template_reference_name: flags.name,
          template: file === undefined ? undefined : readTextFile(file, 'template-file', cwd),
          annotations: Object.keys(flags.annotate).length === 0 ? undefined : flags.annotate,
          description: flags.description,
          user_data: readJsonFile(flags['user-data'], 'user-data', cwd),
        }),
        describe: () =>
          `Recorded artifact ${found.name} (sha256:${found.fingerprint}) on trail ${trail} of flow ${flags.flow}`,
      },
      context,
    )
  },
})

/** The older form of the request, without a trail. */
export const reportArtifact = defineCommand({
  words: ['report', 'artifact'],
  summary: 'report an artifact without a trail; the older form',
  args: [argument('artifact', 'the file, folder or image')],
  flags: {
    ...REPORT_FLAGS,
    'git-commit': requiredText('the git commit', { short: 'g', placeholder: '<commit>', from_ci: 'commit' }),
    name: text('how people call it', { short: 'n', placeholder: '<name>' }),
  },
  needs: 'org',
  operations: ['reportArtifact'],
  is_recorded: true,
  is_hidden: true,
  examples: [],
  run: async ({ args, flags, context }) => {
    const found = await findArtifact(args.artifact ?? '', flags, context)
    const info = await readCommitInfo({ ...flags, commit: flags['git-commit'] }, context)
    if (info?.sha1 === undefined) failUsage('--git-commit is not known')
    return recordWrite(
      {
        method: 'POST',
        template: '/artifacts/{org}/{flow_name}',
        params: { flow_name: flags.flow },
        stream: `trail/${flags.flow}/${info.sha1}`,
        json: dropMissing({
          fingerprint: found.fingerprint,
          filename: flags.name ?? found.name,
          git_commit: info.sha1,
          git_commit_info: info,
          build_url: flags['build-url'],
          commit_url: flags['commit-url'],
        }),
        describe: () => `Recorded artifact ${found.name} (sha256:${found.fingerprint}) in flow ${flags.flow}`,
      },
      context,
    )
  },
})

export const showFingerprint = defineCommand({
  words: ['fingerprint'],
  summary: 'print the fingerprint of a file, folder or image',
  args: [argument('artifact', 'the file, folder or image')],
  flags: FINGERPRINT_FLAGS,
  needs: 'nothing',
  operations: [],
  examples: ['fingerprint dist/ --artifact-type dir-v2', 'fingerprint alpine:3.20 --artifact-type oci'],
  run: async ({ args, flags, context }) => {
    const found = await fingerprintArtifact(args.artifact ?? '', flags, context)
    const { fingerprint, method, name, alternates } = found
    const json = { fingerprint, fingerprint_method: method, name, alternate_digests: alternates }
    await context.output.show({ json, text: fingerprint, names: [fingerprint] })
    return undefined
  },
})

async function findArtifact(
  reference: string,
  flags: FingerprintValues & { fingerprint: string | undefined },
  context: Context,
): Promise<Pick<Fingerprinted, 'fingerprint' | 'name'>> {
  if (flags.fingerprint === undefined) return fingerprintArtifact(reference, flags, context)
  return { fingerprint: checkFingerprint(flags.fingerprint), name: basename(reference) }
}
