// Hostile texts that try to become markup, scripts or links. Each starts with the name of its field, so that a page that
// shows it can be recognized.
import type { Service } from '../service.ts'

/** If a page treated one of these as more than text, it would open a dialog or violate its CSP. */
export const PAYLOADS = [
  '<img src=x onerror="alert(1)">',
  '<script>alert(2)</script>',
  '<svg onload=alert(3)>',
  'javascript:alert(4)',
  "{{constructor.constructor('alert(5)')()}} $" + '{alert(5)} #{alert(5)}',
  `"' autofocus onfocus=alert(6) x="`,
  '<iframe srcdoc="<script>parent.alert(7)</script>"></iframe>',
  '<math><mtext></mtext><style><img src onerror=alert(8)></style></math>',
  '<b style="background:url(javascript:alert(9));width:expression(alert(9))">',
  '\\u003cscript\\u003ealert(10)\\u003c/script\\u003e &lt;script&gt;alert(10)&lt;/script&gt;',
  'data:text/html,<script>alert(11)</script>',
  '\u202e>tpircs<\u202c\u200b\u2066alert(12)\u2069\ufeff',
] as const

/** URLs that must not become links. */
export const NO_ADDRESSES = [
  'javascript:alert(13)',
  'data:text/html,<script>alert(14)</script>',
  ' JaVaScRiPt:alert(15)',
]

/** The beginning of the text of each field: enough to recognize it where a page shortens it. */
export const written = new Map<string, string>()

const SHORT = 255
const PREFIX_LENGTH = 12

/** All payloads, for a field without a short limit. */
export function writeLong(field: string): string {
  return remember(field, rotatePayloads().join(' '))
}

/** As many payloads as fit into a name or a title. */
export function writeShort(field: string, max = SHORT): string {
  let text = ''
  for (const payload of rotatePayloads()) {
    if (field.length + text.length + payload.length + 2 > max) break
    text += `${text === '' ? '' : ' '}${payload}`
  }
  return remember(field, text)
}

/** One payload, for a field that does not accept all of them. */
export function writeOnly(field: string, payload: string): string {
  return remember(field, payload)
}

function remember(field: string, text: string): string {
  written.set(field, `${field} ${text.slice(0, PREFIX_LENGTH)}`)
  return `${field} ${text}`
}

/** Rotates the payloads, so that each field begins with another one. */
function rotatePayloads(): string[] {
  const at = written.size % PAYLOADS.length
  return [...PAYLOADS.slice(at), ...PAYLOADS.slice(0, at)]
}

export interface Call {
  method: 'PUT' | 'POST' | 'PATCH'
  /** Below /api/v2. */
  path: string
  body: Record<string, unknown>
  /** Sent as a form, with the body in the part of that name. */
  form?: { body_part: string; file_part: string; name: string; content: string }
}

/** Returns the calls that failed, with the server's answers. */
export async function write(service: Service, calls: readonly Call[]): Promise<string[]> {
  const failed: string[] = []
  for (const call of calls) {
    const { status, text } = await (call.form ? sendForm(service, call, call.form) : send(service, call))
    if (status >= 300) failed.push(`${call.method} ${call.path}: ${status} ${text}`)
  }
  return failed
}

/** Returns the status of each call. */
export async function sendAll(service: Service, calls: readonly Call[]): Promise<number[]> {
  const statuses: number[] = []
  for (const call of calls) statuses.push((await send(service, call)).status)
  return statuses
}

const send = (service: Service, { method, path, body }: Call) =>
  service.call(method, `/api/v2/${path}`, { key: service.key, body })

async function sendForm(service: Service, { method, path, body }: Call, form: NonNullable<Call['form']>) {
  const parts = new FormData()
  parts.append(form.body_part, JSON.stringify(body))
  parts.append(form.file_part, new Blob([form.content]), form.name)
  const answer = await fetch(`${service.url}/api/v2/${path}`, {
    method,
    body: parts,
    headers: { authorization: `Bearer ${service.key}` },
  })
  return { status: answer.status, text: await answer.text() }
}

/** Finds live markup that a text must never produce. Runs in the page. */
export const FIND_LIVE_MARKUP = `(() => {
  const found = []
  const say = node => found.push(node.outerHTML.slice(0, 200))
  for (const node of document.querySelectorAll('iframe, object, embed, base, math, img[src], foreignObject')) say(node)
  for (const node of document.scripts) if (!node.getAttribute('src')?.startsWith('/assets/')) say(node)
  for (const node of document.querySelectorAll('*')) {
    for (const { name, value } of node.attributes) {
      if (/^on/i.test(name)) say(node)
      const leads = ['href', 'xlink:href', 'src', 'srcdoc', 'action', 'formaction', 'data'].includes(name)
      if (leads && /^[\\s\\0-\\x20]*(javascript|data|vbscript):/i.test(value)) say(node)
      if (name === 'style' && /expression|javascript:/i.test(value)) say(node)
    }
  }
  return found
})()`

/** Reads the visible text of a page and the values of its fields. */
export const READ_TEXT = `document.body.innerText + '\\n' + document.title + '\\n' +
  [...document.querySelectorAll('input, textarea')].map(field => field.value).join('\\n')`
