// Reports the containers in a cluster's pods, once.
import { resolve } from 'node:path'
import { argument, defineCommand } from '../../program/command.ts'
import type { Context } from '../../program/context.ts'
import { list, text, toggle } from '../../program/flags.ts'
import { failUsage } from '../../program/problem.ts'
import { makeCluster } from '../../reporters/kubernetes/client.ts'
import { findCluster } from '../../reporters/kubernetes/config.ts'
import { listEverything, type Selection, toObservation } from '../../reporters/kubernetes/observe.ts'
import { CREATE_FLAGS, createMissing, reportEnvironment } from './report.ts'

export const CLUSTER_FLAGS = {
  kubeconfig: text('the kubeconfig; inside a cluster it is not needed', {
    short: 'k',
    placeholder: '<file>',
  }),
  'kube-context': text('the context of the kubeconfig', { placeholder: '<name>' }),
  'allow-exec': toggle('let the kubeconfig run programs for a token'),
  namespaces: list('only these namespaces', { short: 'n', placeholder: '<name>' }),
  'exclude-namespaces': list('all namespaces but these', { short: 'x', placeholder: '<name>' }),
} as const

export interface ClusterValues {
  kubeconfig: string | undefined
  'kube-context': string | undefined
  'allow-exec': boolean
  namespaces: readonly string[]
  'exclude-namespaces': readonly string[]
}

export const snapshotKubernetes = defineCommand({
  words: ['snapshot', 'k8s'],
  also: [['snapshot', 'kubernetes']],
  summary: 'report what the pods of a Kubernetes cluster run',
  details:
    'Every container of every pod is reported by itself, also init and debug containers. A container whose digest the node does not know is named as not seen, and the report is partial.',
  args: [argument('environment', 'the environment')],
  flags: { ...CLUSTER_FLAGS, ...CREATE_FLAGS },
  needs: 'org',
  operations: ['reportPods'],
  is_recorded: true,
  examples: ['snapshot k8s production', 'snapshot k8s production --exclude-namespaces kube-system'],
  run: async ({ args, flags, context }) => {
    const target = { environment: args.environment ?? '', type: 'K8S' } as const
    const { cluster, selection } = await openCluster(flags, context)
    const seen = await listEverything(cluster, selection)
    const observation = toObservation(seen, selection, Math.floor(context.system.now_ms() / 1000))
    await createMissing(target, flags, context)
    return reportEnvironment(target, observation, context)
  },
})

export async function openCluster(flags: ClusterValues, { exchange, system }: Context) {
  const { namespaces, 'exclude-namespaces': excluded } = flags
  if (namespaces.length > 0 && excluded.length > 0)
    failUsage('--namespaces and --exclude-namespaces cannot be combined')
  const access = await findCluster(system.env, {
    kubeconfig: flags.kubeconfig === undefined ? undefined : resolve(system.cwd, flags.kubeconfig),
    context: flags['kube-context'],
    allows_exec: flags['allow-exec'],
  })
  const selection: Selection = { namespaces, excluded }
  return { cluster: makeCluster(access, exchange), selection }
}
