// Reads from the API and shows the answer.
import { fillPath } from '../http/api.ts'
import type { Answer, Call } from '../http/call.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import type { Shown } from '../print/output.ts'
import type { Context } from '../program/context.ts'

export interface Reading {
  /** A path of the OpenAPI document. */
  template: string
  params?: Readonly<Record<string, string>>
  query?: Call['query']
  /** Overrides how long the program retries. */
  timeout_ms?: number | undefined
}

export async function read(
  { api, org }: Context,
  { template, params = {}, query, timeout_ms }: Reading,
): Promise<Answer> {
  const path = fillPath(template, { org, ...params })
  return api.call(dropMissing({ method: 'GET', path, query, timeout_ms }))
}

/** `show` receives the JSON of the response. */
export async function readAndShow<T>(
  context: Context,
  reading: Reading,
  show: (json: T) => Omit<Shown, 'json'>,
): Promise<undefined> {
  const { json } = await read(context, reading)
  await context.output.show({ json, ...show(json as T) })
}

/** A change that is not evidence: sent immediately, never spooled. */
export async function change(
  { api, org, is_dry_run, output, host }: Context,
  {
    method,
    template,
    params = {},
    json,
    text,
    names,
  }: Reading & {
    method: 'PUT' | 'POST' | 'PATCH' | 'DELETE'
    json?: unknown
    text: (json: unknown, status: number) => string
    /** The value that `--quiet` prints. */
    names?: (json: unknown) => readonly string[]
  },
): Promise<undefined> {
  const path = fillPath(template, { org, ...params })
  if (is_dry_run) {
    const { checkBody } = await import('../http/check-body.ts')
    if (json !== undefined) checkBody({ method, template, body: json })
    output.say('This is a dry run: nothing is sent.')
    const shown = { method, url: `${host}/api/v2${path}`, body: json }
    await output.show({ json: shown, text: JSON.stringify(shown, null, 2) })
    return
  }
  const answer = await api.call({ method, path, ...(json === undefined ? {} : { json }) })
  await output.show({
    json: answer.json ?? null,
    text: text(answer.json, answer.status),
    ...(names === undefined ? {} : { names: names(answer.json) }),
  })
}
