// The long-running reporter for a cluster: reports soon after a change, and regularly without one.
import { argument, defineCommand } from '../../program/command.ts'
import { followCluster } from '../../reporters/kubernetes/follow.ts'
import { CLUSTER_FLAGS, openCluster } from '../snapshot/kubernetes.ts'
import { beginWatch, WATCH_FLAGS } from './report.ts'

const SETTLE_MS = 2_000
const MOST_MS = 10_000

export const watchKubernetes = defineCommand({
  words: ['watch', 'k8s'],
  also: [['watch', 'kubernetes']],
  summary: 'report what the pods of a cluster run, and every change of it',
  details:
    'Lists the pods once and then gets only changes. While the cluster cannot be seen nothing is reported, so that the environment becomes stale and not green by mistake.',
  args: [argument('environment', 'the environment')],
  flags: { ...CLUSTER_FLAGS, ...WATCH_FLAGS },
  needs: 'org',
  operations: ['reportPods', 'getEnvironment'],
  is_recorded: true,
  examples: ['watch k8s production'],
  run: async ({ args, flags, context }) => {
    const target = { environment: args.environment ?? '', type: 'K8S' } as const
    const watch = await beginWatch(target, flags, context)
    const { cluster, selection } = await openCluster(flags, context)
    await followCluster({
      cluster,
      selection,
      settle_ms: SETTLE_MS,
      most_ms: MOST_MS,
      ...watch,
    })
    return undefined
  },
})
