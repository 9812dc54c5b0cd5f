// A browser that calls a running service over the network: it keeps cookies and does not follow redirects.
import { storeCookies } from './browser.ts'

export interface Visit {
  status: number
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any
  headers: Headers
}

export interface Visitor {
  cookies: Map<string, string>
  get(path: string): Promise<Visit>
  /** Sends a request like a form on a page. */
  submit(path: string, fields: Record<string, string>): Promise<Visit>
  /** Sends a request like a script on a page, with the CSRF token of the session. */
  send(method: string, path: string, body?: unknown): Promise<Visit>
  /** Redeems a link with the button on its page. */
  redeem(token: string): Promise<Visit>
}

/** Called for every response. */
export type Watch = (what: string, visit: Visit) => void

const FORM = 'application/x-www-form-urlencoded'

export function newVisitor(url: string, watch: Watch = () => undefined): Visitor {
  const cookies = new Map<string, string>()
  let csrf_token: string | undefined
  const call = async (method: string, path: string, type?: string, body?: string): Promise<Visit> => {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(csrf_token === undefined ? {} : { 'x-csrf-token': csrf_token }),
      },
      ...(body === undefined ? {} : { body }),
    })
    storeCookies(cookies, answer.headers.getSetCookie())
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    const visit = {
      status: answer.status,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      headers: answer.headers,
    }
    watch(`${method} ${path}`, visit)
    return visit
  }
  const submit: Visitor['submit'] = (path, fields) =>
    call('POST', path, FORM, new URLSearchParams(fields).toString())
  return {
    cookies,
    get: path => call('GET', path),
    submit,
    send: async (method, path, body) => {
      csrf_token ??= (await call('GET', '/auth/session')).body.csrf_token
      return body === undefined
        ? call(method, path)
        : call(method, path, 'application/json', JSON.stringify(body))
    },
    redeem: async token => {
      const page = await call('GET', `/auth/link?token=${token}`)
      const field = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      return submit('/auth/link/redeem', { token: field })
    },
  }
}
