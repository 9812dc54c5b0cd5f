// Waits until a trail, an artifact or an environment is compliant, while other jobs report evidence.
import { setTimeout as wait } from 'node:timers/promises'
import { argument, defineCommand, optionalArgument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { numberOr, textOr, toggle } from '../program/flags.ts'
import { Problem } from '../program/problem.ts'
import { chooseArtifact } from './artifact-choice.ts'
import {
  ARTIFACT_GATE_FLAGS,
  askArtifact,
  askSnapshot,
  askTrail,
  checkScope,
  conclude,
  describeAnswer,
  type GateAnswer,
  TRAIL_GATE_FLAGS,
} from './gate.ts'
import { type Reading, read } from './read.ts'
import { parseSnapshot, SNAPSHOT_NOTATION } from './snapshot-notation.ts'
import { UNKNOWN_FLAG } from './unknown-verdict.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const GROWTH = 1.5
/** If the service is down for longer than this, the next round asks again. */
const LONGEST_CALL_MS = 30_000
/** The last request, just before the timeout, must have a chance too. */
const SHORTEST_CALL_MS = 5_000

const WAIT_FLAGS = {
  until: textOr('what to wait for', 'compliant', { choices: ['compliant'] }),
  timeout: numberOr('seconds to wait', 600, { min: 1, max: 86_400 }),
  'keep-waiting': toggle(
    'also while reported evidence says no: it may be reported again, replaced or overridden',
  ),
} as const

const DETAILS =
  'Exits with 0 as soon as the answer is yes, and with 4 as soon as reported evidence says no. Evidence that is missing is ' +
  'waited for. At the end of the time: 4 if evidence is still missing, 8 if the answer is unknown or nothing was reported, ' +
  '3 if the service cannot be reached.'

export const waitCommands = [
  defineCommand({
    words: ['wait', 'trail'],
    summary: 'wait until a trail has all the evidence that its template requires',
    details: DETAILS,
    args: [argument('trail', 'the name of the trail; it need not exist yet')],
    flags: { ...TRAIL_GATE_FLAGS, ...WAIT_FLAGS },
    needs: 'org',
    operations: ['getTrail', 'getFlow'],
    examples: ['wait trail 4f2c1d0 --flow backend-ci --timeout 900'],
    run: ({ args: { trail = '' }, flags, context }) =>
      waitFor(context, flags, {
        subject: `trail ${trail} of flow ${flags.flow}`,
        needed: [{ template: '/flows/{org}/{flow_name}', params: { flow_name: flags.flow } }],
        ask: timeout_ms => askTrail({ context, timeout_ms }, flags.flow, trail),
      }),
  }),
  defineCommand({
    words: ['wait', 'artifact'],
    summary: 'wait until an artifact is compliant',
    details: DETAILS,
    args: [optionalArgument('artifact', 'a file, a folder or an image; or give --fingerprint')],
    flags: { ...ARTIFACT_GATE_FLAGS, ...WAIT_FLAGS },
    needs: 'org',
    operations: ['assertArtifact', 'getFlow', 'getEnvironment', 'getPolicy'],
    examples: ['wait artifact backend.tgz --artifact-type file --environment production'],
    run: async ({ args, flags, context }) => {
      checkScope(flags)
      const { fingerprint } = await chooseArtifact(args.artifact, flags, context)
      return waitFor(context, flags, {
        subject: `artifact ${fingerprint.slice(0, 12)}`,
        needed: listNeeded(flags),
        ask: timeout_ms => askArtifact({ context, timeout_ms }, fingerprint, flags),
      })
    },
  }),
  defineCommand({
    words: ['wait', 'snapshot'],
    also: [['wait', 'environment']],
    summary: 'wait until what runs in an environment is compliant',
    details: `${DETAILS} ${SNAPSHOT_NOTATION} A snapshot with a number never changes, so nothing is waited for once it is there.`,
    args: [argument('snapshot', 'the environment, or one of its snapshots')],
    flags: { ...UNKNOWN_FLAG, ...WAIT_FLAGS },
    needs: 'org',
    operations: ['getSnapshot', 'getEnvironment'],
    examples: ['wait snapshot production --timeout 900'],
    run: ({ args: { snapshot = '' }, flags, context }) =>
      waitFor(context, flags, {
        subject: snapshot,
        needed: [
          {
            template: '/environments/{org}/{env_name}',
            params: { env_name: parseSnapshot(snapshot).env_name },
          },
        ],
        ask: timeout_ms => askSnapshot({ context, timeout_ms }, snapshot),
      }),
  }),
]

function listNeeded(scope: {
  flow: string | undefined
  environment: string | undefined
  policy: readonly string[]
}): Reading[] {
  const { flow, environment, policy } = scope
  return [
    ...(flow === undefined ? [] : [{ template: '/flows/{org}/{flow_name}', params: { flow_name: flow } }]),
    ...(environment === undefined
      ? []
      : [{ template: '/environments/{org}/{env_name}', params: { env_name: environment } }]),
    ...policy.map(name => ({ template: '/policies/{org}/{name}', params: { name } })),
  ]
}

interface Awaited {
  subject: string
  /** These must exist from the start: a wrong name is not worth waiting for. */
  needed: readonly Reading[]
  ask(timeout_ms: number): Promise<GateAnswer>
}

interface WaitValues {
  timeout: number
  'keep-waiting': boolean
  unknown: string
}

async function waitFor(context: Context, flags: WaitValues, awaited: Awaited): Promise<Exit> {
  const { now_ms } = context.system
  const deadline_ms = now_ms() + flags.timeout * 1000
  let said = ''
  let pause_ms = FIRST_PAUSE_MS
  let { needed } = awaited
  while (!context.signal.aborted) {
    const result = await askOnce(context, { ...awaited, needed }, deadline_ms - now_ms())
    // Printed only once.
    if ('answer' in result) needed = []
    const isEnd = now_ms() >= deadline_ms
    if ('answer' in result && isEnough(result.answer, flags, isEnd))
      return conclude(context, result.answer, flags.unknown)
    if ('problem' in result && isEnd) throw result.problem
    const state = 'answer' in result ? describeWaiting(result.answer) : result.problem.message
    if (state !== said) context.output.say(`Waiting: ${state}`)
    said = state
    const rest_ms = Math.max(deadline_ms - now_ms(), 0)
    await wait(Math.min(pause_ms, rest_ms), undefined, { signal: context.signal }).catch(() => undefined)
    pause_ms = Math.min(pause_ms * GROWTH, LONGEST_PAUSE_MS)
  }
  return 'interrupted'
}

function isEnough({ verdict, is_final }: GateAnswer, flags: WaitValues, is_end: boolean): boolean {
  return verdict === 'yes' || is_end || (is_final && !flags['keep-waiting'])
}

type Result = { answer: GateAnswer } | { problem: Problem }

/**
 * Evidence that is not reported yet makes the verdict unknown. Only an unreachable service is retried; every
 * other refusal ends the wait.
 */
async function askOnce(
  context: Context,
  { subject, needed, ask }: Awaited,
  left_ms: number,
): Promise<Result> {
  const timeout_ms = Math.min(Math.max(left_ms, SHORTEST_CALL_MS), LONGEST_CALL_MS)
  try {
    return { answer: await ask(timeout_ms) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.exit === 'unreachable') return { problem: error }
    if (error.exit !== 'not_found') throw error
    for (const reading of needed) await read(context, { ...reading, timeout_ms })
    const because = 'it was not reported yet'
    const json = { subject, verdict: 'unknown', because }
    return { answer: { json, subject, verdict: 'unknown', because, reasons: [], is_final: false } }
  }
}

function describeWaiting(answer: GateAnswer): string {
  const [first] = answer.reasons
  return `${describeAnswer(answer)}${first === undefined ? '' : ` (${first.description})`}`
}
