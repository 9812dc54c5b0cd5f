// Whether a host in a setting is this machine itself.
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}
