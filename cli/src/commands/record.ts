// Sends a command's write and prints the outcome. In a dry run, prints the request instead.
import { reportWrite } from '../ci/summaries.ts'
import { fillPath } from '../http/api.ts'
import type { Part } from '../http/multipart.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'

export interface Recording {
  method: 'PUT' | 'POST'
  /** A path of the OpenAPI document. */
  template: string
  params: Readonly<Record<string, string>>
  stream: string
  json: Readonly<Record<string, unknown>>
  /** The name of the JSON part if the request can contain files. */
  json_part?: string
  files?: readonly Part[]
  query?: Readonly<Record<string, string>>
  /** Printed after the write was stored. */
  describe(answer: { status: number; json: unknown }): string
}

export async function recordWrite(recording: Recording, context: Context): Promise<Exit> {
  const { method, template, params, stream, json, json_part, files = [], query = {} } = recording
  const path = fillPath(template, { org: context.org, ...params })
  if (context.is_dry_run) return showRequest({ ...recording, files }, path, context)
  const withFiles = json_part !== undefined && files.length > 0
  const recorded = await context.record({
    method,
    path,
    query,
    json,
    stream,
    ...(withFiles ? { json_part, files } : {}),
  })
  if ('answer' in recorded) {
    const { status, json: answer } = recorded.answer
    const text = recording.describe({ status, json: answer })
    const lines = [text, ...listHashes(recorded.files)]
    await context.output.show({ json: answer, text: lines.join('\n') })
    reportWrite(context.report, text)
    return 'done'
  }
  context.output.say(
    `Not delivered yet: ${recorded.waiting.message}\nIt waits in the spool and is sent by the next command, or by "waybill spool flush".`,
  )
  reportWrite(context.report, `${method} ${path} waits in the spool`, recorded.waiting.message)
  return context.spool_mode === 'strict' ? 'spooled' : 'done'
}

/** In the format of `sha256sum`, so that anyone with the file can check it. */
const listHashes = (files: readonly { filename?: string; sha256: string }[] = []): string[] =>
  files.map(({ filename = '', sha256 }) => `${sha256}  ${filename}`)

async function showRequest(
  { method, template, json, files = [] }: Recording,
  path: string,
  { output, host }: Context,
): Promise<Exit> {
  const { checkBody } = await import('../http/check-body.ts')
  checkBody({ method, template, body: json })
  output.say('This is a dry run: nothing is sent.')
  const shown = {
    method,
    url: `${host}/api/v2${path}`,
    body: json,
    files: files.map(({ filename }) => filename),
  }
  await output.show({ json: shown, text: JSON.stringify(shown, null, 2) })
  return 'done'
}
