// The commands that report the contents of environments.
import { snapshotDocker } from '../commands/snapshot/docker.ts'
import { snapshotEcs } from '../commands/snapshot/ecs.ts'
import { snapshotKubernetes } from '../commands/snapshot/kubernetes.ts'
import { snapshotLambda } from '../commands/snapshot/lambda.ts'
import { pathSnapshots } from '../commands/snapshot/paths.ts'
import { snapshotS3 } from '../commands/snapshot/s3.ts'
import { watchKubernetes } from '../commands/watch/kubernetes.ts'
import { pathWatches, polledWatches } from '../commands/watch/polled.ts'
import type { Command } from '../program/command.ts'

export const commands: readonly Command[] = [
  ...pathSnapshots,
  snapshotDocker,
  snapshotKubernetes,
  snapshotEcs,
  snapshotLambda,
  snapshotS3,
  watchKubernetes,
  ...polledWatches,
  ...pathWatches,
]
