// Commands that call the API, written so that they can be pasted into a shell.

/** Inside single quotes nothing is special but the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export function apiPath(...parts: string[]): string {
  return `/api/v2/${parts.map(encodeURIComponent).join('/')}`
}

export function curl(method: 'PUT' | 'POST', path: string, body: unknown): string {
  return [
    `curl -X ${method} ${quoted(window.location.origin + path)}`,
    `-H "Authorization: Bearer $API_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ')
}

/** With a file, and the other values as one JSON part. */
export function curlWithFile(path: string, values: unknown, part: string, file: string): string {
  return [
    `curl -X PUT ${quoted(window.location.origin + path)}`,
    `-H "Authorization: Bearer $API_KEY"`,
    `-F ${quoted(`data_json=${JSON.stringify(values)}`)}`,
    `-F ${part}=@${file}`,
  ].join(' \\\n  ')
}
