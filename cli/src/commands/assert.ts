// The gates: is a snapshot, an artifact or a trail compliant? Prints every reason if not. Exit codes: 0 yes, 4 no, 8 unknown.
import { argument, defineCommand, optionalArgument } from '../program/command.ts'
import { chooseArtifact } from './artifact-choice.ts'
import {
  ARTIFACT_GATE_FLAGS,
  askArtifact,
  askSnapshot,
  askTrail,
  checkScope,
  conclude,
  TRAIL_GATE_FLAGS,
} from './gate.ts'
import { SNAPSHOT_NOTATION } from './snapshot-notation.ts'
import { UNKNOWN_FLAG } from './unknown-verdict.ts'

export const assertCommands = [
  defineCommand({
    words: ['assert', 'snapshot'],
    summary: 'fail unless what runs in an environment is compliant',
    details: SNAPSHOT_NOTATION,
    args: [argument('snapshot', 'the environment, or one of its snapshots')],
    flags: UNKNOWN_FLAG,
    needs: 'org',
    operations: ['getSnapshot', 'getEnvironment'],
    examples: ['assert snapshot production', 'assert snapshot production#5'],
    run: async ({ args: { snapshot = '' }, flags, context }) =>
      conclude(context, await askSnapshot({ context }, snapshot), flags.unknown),
  }),
  defineCommand({
    words: ['assert', 'artifact'],
    summary: 'fail unless an artifact is compliant',
    details:
      'By default the templates of the flows that have the artifact decide. With --environment, the policies of the ' +
      'environment decide; with --policy, the named policies.',
    args: [optionalArgument('artifact', 'a file, a folder or an image; or give --fingerprint')],
    flags: ARTIFACT_GATE_FLAGS,
    needs: 'org',
    operations: ['assertArtifact'],
    examples: ['assert artifact backend.tgz --artifact-type file --environment production'],
    run: async ({ args, flags, context }) => {
      checkScope(flags)
      const { fingerprint } = await chooseArtifact(args.artifact, flags, context)
      return conclude(context, await askArtifact({ context }, fingerprint, flags), flags.unknown)
    },
  }),
  defineCommand({
    words: ['assert', 'trail'],
    summary: 'fail unless a trail has all the evidence that its template requires',
    args: [argument('trail', 'the name of the trail')],
    flags: TRAIL_GATE_FLAGS,
    needs: 'org',
    operations: ['getTrail'],
    examples: ['assert trail 4f2c1d0 --flow backend-ci'],
    run: async ({ args: { trail = '' }, flags, context }) =>
      conclude(context, await askTrail({ context }, flags.flow, trail), flags.unknown),
  }),
]
