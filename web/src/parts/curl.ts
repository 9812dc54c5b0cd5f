// Builds commands to paste into a shell: for curl, which calls the API, and for our own command line.

import { BASE_PATH } from '../base-path.ts'

/** Inside single quotes only the quote itself is special. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A word that needs no quotes. */
const PLAIN = /^[\w./:=@-]+$/

/** Credentials come from `WAYBILL_API_TOKEN`. */
export function buildWaybill(words: readonly string[], org: string): string {
  const all = ['waybill', ...words, '--org', org, '--host', window.location.origin + BASE_PATH]
  const lines: string[] = []
  for (const word of all) {
    const shown = PLAIN.test(word) ? word : quote(word)
    // A flag and its value share a line.
    if (lines.length === 0 || word.startsWith('--')) lines.push(shown)
    else lines.push(`${lines.pop()} ${shown}`)
  }
  return joinLines(...lines)
}

const KEY = `-H "Authorization: Bearer $API_KEY"`

/** Names may contain any character, so each part is encoded. */
export function buildApiPath(...parts: string[]): string {
  return `${BASE_PATH}/api/v2/${parts.map(encodeURIComponent).join('/')}`
}

/** Fills in the parameters of an API path. */
export function fillApiPath(path: string, values: Record<string, string>): string {
  return `${BASE_PATH}/api/v2${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))}`
}

const joinLines = (...parts: string[]) => parts.join(' \\\n  ')

const startCommand = (method: string, path: string) =>
  `curl${method === 'GET' ? '' : ` -X ${method}`} ${quote(window.location.origin + path)}`

export function buildCurl(method: 'GET' | 'PUT' | 'POST' | 'PATCH', path: string, body?: unknown): string {
  if (body === undefined) return joinLines(startCommand(method, path), KEY)
  return joinLines(
    startCommand(method, path),
    KEY,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(JSON.stringify(body))}`,
  )
}

/** Sends files as their own parts, and the other values as one JSON part. */
export function buildCurlWithFile(
  method: 'PUT' | 'POST',
  path: string,
  values: unknown,
  files: readonly { part: string; file: string }[],
): string {
  return joinLines(
    startCommand(method, path),
    KEY,
    `-F ${quote(`data_json=${JSON.stringify(values)}`)}`,
    ...files.map(
      ({ part, file }) => `-F ${PLAIN.test(file) ? `${part}=@${file}` : quote(`${part}=@${file}`)}`,
    ),
  )
}
