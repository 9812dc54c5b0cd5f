// Chooses the proxy for an address from the variables that curl and most tools read, with the exceptions in
// NO_PROXY.

import { isLoopback } from './confidential.ts'

type Environment = Readonly<Record<string, string | undefined>>

export function findProxy(url: URL, env: Environment): URL | undefined {
  const value =
    url.protocol === 'https:'
      ? (env.HTTPS_PROXY ?? env.https_proxy)
      : // Not uppercase HTTP_PROXY: a web server sets it from a request header.
        env.http_proxy
  if (value === undefined || value === '' || isLoopback(url)) return undefined
  if (isExcepted(url, env.NO_PROXY ?? env.no_proxy ?? '')) return undefined
  return new URL(value.includes('://') ? value : `http://${value}`)
}

function isExcepted(url: URL, exceptions: string): boolean {
  return exceptions
    .split(/[\s,]+/)
    .filter(Boolean)
    .some(exception => {
      if (exception === '*') return true
      const [host = '', port] = exception.replace(/^\*?\./, '').split(':')
      if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80')))
        return false
      return url.hostname === host || url.hostname.endsWith(`.${host}`)
    })
}
