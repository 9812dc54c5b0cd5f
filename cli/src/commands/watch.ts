// Reporters that stay: they report soon after a change, and regularly without one.
import { setTimeout as wait } from 'node:timers/promises'
import { fillPath } from '../http/api.ts'
import { argument, defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { numberOr } from '../program/flags.ts'
import { Problem } from '../program/problem.ts'
import { followCluster } from '../reporters/kubernetes/follow.ts'
import type { Observation } from '../reporters/observation.ts'
import { observe } from './snapshot/docker.ts'
import { CLUSTER_FLAGS, openCluster } from './snapshot/kubernetes.ts'
import { CREATE_FLAGS, createMissing, reportEnvironment, type Target } from './snapshot/report.ts'

const WATCH_FLAGS = {
  heartbeat: numberOr('seconds between reports without a change; less if the environment expects it', 300, {
    min: 5,
    max: 3600,
  }),
  ...CREATE_FLAGS,
} as const

const SETTLE_MS = 2_000
const MOST_MS = 10_000
/** A heartbeat is sent this often within the time that the service waits for one. */
const BEATS_IN_INTERVAL = 3

export const watchCommands = [
  defineCommand({
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
      await createMissing(target, flags, context)
      const { cluster, selection } = await openCluster(flags, context)
      await followCluster({
        cluster,
        selection,
        settle_ms: SETTLE_MS,
        most_ms: MOST_MS,
        heartbeat_ms: await chooseHeartbeat(target, flags.heartbeat, context),
        now_ms: context.system.now_ms,
        report: makeReport(target, context),
        say: context.output.say,
        signal: context.signal,
      })
      return undefined
    },
  }),
  defineCommand({
    words: ['watch', 'docker'],
    summary: 'report the running containers of a machine again and again',
    args: [argument('environment', 'the environment')],
    flags: {
      ...WATCH_FLAGS,
      every: numberOr('seconds between looking at the containers', 10, { min: 1, max: 3600 }),
    },
    needs: 'org',
    operations: ['reportContainers', 'getEnvironment'],
    is_recorded: true,
    examples: ['watch docker build-machine'],
    run: async ({ args, flags, context }) => {
      const target = { environment: args.environment ?? '', type: 'docker' } as const
      await createMissing(target, flags, context)
      const heartbeat_ms = await chooseHeartbeat(target, flags.heartbeat, context)
      await reportChanges(context, { interval_ms: flags.every * 1000, heartbeat_ms, target })
      return undefined
    },
  }),
]

async function reportChanges(
  context: Context,
  { interval_ms, heartbeat_ms, target }: { interval_ms: number; heartbeat_ms: number; target: Target },
): Promise<void> {
  const report = makeReport(target, context)
  let reported = ''
  let reported_ms = Number.NEGATIVE_INFINITY
  while (!context.signal.aborted) {
    try {
      const observation = await observe(context)
      const content = JSON.stringify([observation.elements, observation.missing])
      const now = context.system.now_ms()
      if (content !== reported || now - reported_ms >= heartbeat_ms) {
        await report(observation)
        reported = content
        reported_ms = now
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      context.output.say(`Nothing was reported: ${error.message}`)
    }
    await wait(interval_ms, undefined, { signal: context.signal }).catch(() => undefined)
  }
}

/** A refusal of the first report ends the reporter: its settings are wrong. Later ones are said, and it goes on. */
function makeReport(target: Target, context: Context): (observation: Observation) => Promise<void> {
  let hasReported = false
  return async observation => {
    try {
      await reportEnvironment(target, observation, context)
      hasReported = true
    } catch (error) {
      if (!(error instanceof Problem) || !hasReported) throw error
      context.output.say(`The report was refused: ${error.message}`)
    }
  }
}

/** Well within the interval after which the service calls the environment stale. */
async function chooseHeartbeat(
  { environment }: Target,
  seconds: number,
  { api, org }: Context,
): Promise<number> {
  const path = fillPath('/environments/{org}/{env_name}', { org, env_name: environment })
  const { json } = await api.call({ method: 'GET', path })
  const { expected_report_interval: expected } = json as { expected_report_interval?: number | null }
  const most = typeof expected === 'number' ? expected / BEATS_IN_INTERVAL : seconds
  return Math.min(seconds, most) * 1000
}
