// Decides whether a secret may be sent to an address: over TLS, or without leaving this machine.

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.has(hostname)

export function isConfidential(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))
}
