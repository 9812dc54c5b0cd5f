// The common part of all long-running reporters: how often they report without a change, and how they react
// to a refusal.
import { fillPath } from '../../http/api.ts'
import type { Context } from '../../program/context.ts'
import { numberOr } from '../../program/flags.ts'
import { Problem } from '../../program/problem.ts'
import { keepMemorySmall } from '../../reporters/keep-small.ts'
import type { Observation } from '../../reporters/observation.ts'
import {
  CREATE_FLAGS,
  type CreateValues,
  createMissing,
  reportEnvironment,
  type Target,
} from '../snapshot/report.ts'

export const WATCH_FLAGS = {
  heartbeat: numberOr('seconds between reports without a change; less if the environment expects it', 300, {
    min: 5,
    max: 3600,
  }),
  ...CREATE_FLAGS,
} as const

/** The number of heartbeats within the time that the service waits for one. */
const BEATS_IN_INTERVAL = 3

/** The start of both kinds of long-running reporters. */
export async function beginWatch(
  target: Target,
  flags: CreateValues & { heartbeat: number },
  context: Context,
) {
  keepMemorySmall()
  await createMissing(target, flags, context)
  return {
    heartbeat_ms: await chooseHeartbeat(target, flags.heartbeat, context),
    now_ms: context.system.now_ms,
    report: makeReport(target, context),
    say: context.output.say,
    signal: context.signal,
  }
}

/** A refusal of the first report stops the reporter: its settings are wrong. It only logs later refusals. */
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
