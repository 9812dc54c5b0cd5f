// The allow-list of an environment: artifacts that may run there without evidence.
import { dropMissing } from '../lib/drop-missing.ts'
import { defineCommand, optionalArgument } from '../program/command.ts'
import { requiredText, text } from '../program/flags.ts'
import { ARTIFACT_FLAGS, chooseArtifact } from './artifact-choice.ts'
import { explainLapse } from './lapsed-request.ts'
import { change } from './read.ts'
import { readTime } from './times.ts'

export const allowCommands = [
  defineCommand({
    words: ['allow', 'artifact'],
    summary: 'put an artifact on the allow-list of an environment',
    details: 'If the organization requires two persons, the entry waits until somebody else confirms it.',
    args: [optionalArgument('artifact', 'a file, a folder or an image; its name with --fingerprint')],
    flags: {
      ...ARTIFACT_FLAGS,
      environment: requiredText('the environment', { short: 'e', placeholder: '<name>' }),
      reason: requiredText('why it may run there', { placeholder: '<text>' }),
      'expires-at': text('until when: a date, a time or seconds since 1970', { placeholder: '<time>' }),
    },
    needs: 'org',
    operations: ['putAllowListEntry'],
    examples: [
      "allow artifact hotfix.bin --artifact-type file --environment production --reason 'incident 42'",
    ],
    run: async ({ args, flags, context }) => {
      const chosen = await chooseArtifact(args.artifact, flags, context)
      const { fingerprint, name = fingerprint } = chosen
      return change(context, {
        method: 'PUT',
        template: '/allowlists/{org}/{env_name}',
        params: { env_name: flags.environment },
        json: dropMissing({
          artifact_fingerprint: fingerprint,
          artifact_name: name,
          description: flags.reason,
          expires_at: readTime(flags['expires-at'], 'expires-at'),
        }),
        text: (answer, status) =>
          status === 202
            ? `Artifact ${name} waits for another person before it is allowed in ${flags.environment}${explainLapse(answer)}`
            : `Artifact ${name} is allowed in ${flags.environment}`,
        names: () => [fingerprint],
      })
    },
  }),
]
