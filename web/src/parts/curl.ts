// Commands that call the API, written so that they can be pasted into a shell.

/** Inside single quotes nothing is special but the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const KEY = `-H "Authorization: Bearer $API_KEY"`

/** Names may hold anything, so each part is encoded. */
export function apiPath(...parts: string[]): string {
  return `/api/v2/${parts.map(encodeURIComponent).join('/')}`
}

const lines = (...parts: string[]) => parts.join(' \\\n  ')

const calling = (method: string, path: string) =>
  `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(window.location.origin + path)}`

export function curl(method: 'GET' | 'PUT' | 'POST' | 'PATCH', path: string, body?: unknown): string {
  if (body === undefined) return lines(calling(method, path), KEY)
  return lines(
    calling(method, path),
    KEY,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  )
}

/** With a file, and the other values as one JSON part. */
export function curlWithFile(path: string, values: unknown, part: string, file: string): string {
  return lines(
    calling('PUT', path),
    KEY,
    `-F ${quoted(`data_json=${JSON.stringify(values)}`)}`,
    `-F ${part}=@${file}`,
  )
}
