// Carries out the steps of a plan one after the other, and stops at the first one that the service refuses.
import { fillPath } from '../http/api.ts'
import type { Answer } from '../http/call.ts'
import type { Context } from '../program/context.ts'
import { Problem } from '../program/problem.ts'
import { nameResource } from './kinds.ts'
import type { Step } from './plan.ts'
import type { Status } from './print.ts'
import { buildRequests, type Request } from './requests.ts'

export interface Outcome {
  /** The outcomes, in the order of the steps. */
  statuses: Status[]
  problem?: Problem
}

export async function sendSteps(
  context: Context,
  steps: readonly Step[],
  comment: string | undefined,
): Promise<Outcome> {
  const statuses: Status[] = steps.map(() => 'not done')
  for (const [index, step] of steps.entries()) {
    const what = nameResource(step.kind, step.name)
    try {
      for (const request of buildRequests(step, comment))
        printWarnings(context, what, await sendRequest(context, request))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      statuses[index] = 'failed'
      return { statuses, problem: explainFailure(what, error) }
    }
    statuses[index] = 'done'
  }
  return { statuses }
}

function sendRequest({ api, org, system }: Context, request: Request): Promise<Answer> {
  const { method, template, params, json, template_file } = request
  const path = fillPath(template, { org, ...params })
  // A lost response to a POST must not stop the rest; the idempotency key makes it safe to send again.
  const key = method === 'POST' ? { idempotency_key: `apply-${system.random_hex()}` } : {}
  if (template_file === undefined)
    return api.call({ method, path, ...key, ...(json === undefined ? {} : { json }) })
  return api.call({
    method,
    path,
    parts: [
      {
        name: 'data_json',
        content_type: 'application/json',
        content: { bytes: Buffer.from(JSON.stringify(json)) },
      },
      {
        name: 'template_file',
        filename: 'template.yml',
        content_type: 'application/yaml',
        content: { bytes: Buffer.from(template_file) },
      },
    ],
  })
}

function printWarnings({ output }: Context, what: string, { headers }: Answer): void {
  const text = headers['waybill-warnings']
  if (text === undefined) return
  for (const { field, message } of JSON.parse(text) as { field: string; message: string }[])
    output.say(`Warning: ${what}: ${field}: ${message}`)
}

function explainFailure(what: string, { message, exit, request_id, status }: Problem): Problem {
  const hint = 'What was done stays. Correct the problem and run the command again: it does the rest.'
  return new Problem(`${what}: ${message}`, { exit, hint, request_id, status })
}
