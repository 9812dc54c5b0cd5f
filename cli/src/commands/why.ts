// Explains why an artifact is not compliant: which rule, what was expected and found, and how to fix it. It
// explains and never fails a pipeline.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Schemas } from '../api-types.ts'
import { FINGERPRINT_FLAGS, fingerprintArtifact } from '../artifacts/fingerprint.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { optionalFlow } from './flags.ts'
import { readAssertion } from './gate.ts'
import { readAndShow } from './read.ts'
import { describeReasons } from './reasons.ts'

type Assertion = Schemas['Assertion']

const SHORTEST_FINGERPRINT = 5

export const whyCommands = [
  defineCommand({
    words: ['why'],
    summary: 'explain why an artifact is not compliant, and what would help',
    details: 'Exits with 0 whatever the answer is; "waybill assert artifact" is the gate.',
    args: [argument('artifact', 'its fingerprint or the beginning of it, a file, a folder or an image')],
    flags: {
      ...FINGERPRINT_FLAGS,
      environment: text('by the policies of this environment', { short: 'e', placeholder: '<name>' }),
      policy: list('by these policies', { placeholder: '<names>' }),
      flow: { ...optionalFlow, short: 'f' },
    },
    needs: 'org',
    operations: ['assertArtifact'],
    examples: ['why b5bb9d80 --environment production', 'why backend.tgz'],
    run: async ({ args: { artifact = '' }, flags, context }) => {
      const isFingerprint = /^[a-f0-9]+$/.test(artifact) && artifact.length >= SHORTEST_FINGERPRINT
      const isComputed =
        flags['artifact-type'] !== undefined || existsSync(resolve(context.system.cwd, artifact))
      if (!isFingerprint && !isComputed)
        failUsage(
          `"${artifact}" is neither a fingerprint nor a file`,
          'waybill search finds artifacts by commit; for an image, give --artifact-type.',
        )
      const fingerprint = isComputed
        ? (await fingerprintArtifact(artifact, flags, context)).fingerprint
        : artifact
      return readAndShow<Assertion>(
        context,
        {
          template: '/asserts/{org}/fingerprint/{fingerprint}',
          params: { fingerprint },
          query: { flow_name: flags.flow, environment_name: flags.environment, policy_name: flags.policy },
        },
        found => ({ text: explain(found), names: found.reasons.map(({ type }) => type) }),
      )
    },
  }),
]

function explain(found: Assertion): string {
  const { artifact_name, artifact_fingerprint, compliant, reasons, flows, environment, allow_listed } = found
  const where = environment === undefined ? '' : ` for ${environment}`
  const artifact = `${artifact_name || 'Artifact'} ${artifact_fingerprint.slice(0, 12)}`
  const { verdict, because: unknown_because } = readAssertion(found)
  if (verdict === 'unknown') return `Whether ${artifact} is compliant${where} is unknown: ${unknown_because}`
  const head = `${artifact} is ${compliant ? '' : 'not '}compliant${where}`
  if (!compliant) return `${head}\n\n${describeReasons(reasons)}\n\nPage: ${found.html_url}`
  const because =
    allow_listed === null
      ? flows.map(({ flow, trail }) => `flow ${flow}${trail === null ? '' : `, trail ${trail}`}`).join('; ')
      : `it is on the allow-list: ${allow_listed.description}`
  return `${head} (${because})`
}
