// The findings of `admin doctor`: a state, a sentence, and a hint.
import { isLoopback } from '../lib/loopback.ts'

export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'failed'
  text: string
  /** How to fix it. */
  hint: string | null
}

const MAX_SKEW_MS = 60_000
const LITTLE_SPACE = 0.1

export const ok = (check: string, text: string): Finding => ({ check, state: 'ok', text, hint: null })
export const warn = (check: string, text: string, hint: string): Finding => ({
  check,
  state: 'warning',
  text,
  hint,
})
export const failed = (check: string, text: string, hint: string): Finding => ({
  check,
  state: 'failed',
  text,
  hint,
})

export interface PublicAddress {
  host: string
  base_url: string | undefined
  has_tls: boolean
  trusted_proxies: number
}

/** Checks the address by which people reach the service, as far as the settings tell. */
export function checkAddress({ host, base_url, has_tls, trusted_proxies }: PublicAddress): Finding {
  const check = 'address'
  if (base_url === undefined) {
    return isLoopback(host)
      ? ok(check, `only on this machine, at ${host}`)
      : warn(check, 'the public address is not known', 'Set WAYBILL_BASE_URL: links and mails lead to it.')
  }
  const { protocol, hostname } = new URL(base_url)
  if (protocol === 'http:' && !isLoopback(hostname)) {
    return warn(
      check,
      `${base_url} has no TLS, and browsers keep sessions only with it`,
      'Put a proxy with TLS in front, or set WAYBILL_TLS_CERT_FILE and WAYBILL_TLS_KEY_FILE.',
    )
  }
  if (protocol === 'https:' && !has_tls && trusted_proxies === 0) {
    return warn(
      check,
      'there is a proxy in front, and its headers are not trusted: all clients share one limit',
      'Set WAYBILL_TRUSTED_PROXIES to the addresses of the proxy.',
    )
  }
  return ok(check, base_url)
}

export function checkSchema({ applied, pending }: { applied: number; pending: readonly string[] }): Finding {
  const check = 'schema'
  if (pending.length === 0) return ok(check, `current, ${countMigrations(applied)}`)
  return warn(
    check,
    applied === 0
      ? 'there is none yet'
      : `${countMigrations(pending.length)} pending, the first is ${pending[0]}`,
    'Run "admin migrate", or start a process whose user owns the schema.',
  )
}

const countMigrations = (count: number) => `${count} ${count === 1 ? 'migration' : 'migrations'}`

/** Waybill uses the database's clock; this machine's clock dates evidence files and certificates. */
export function checkClock(here: Date, database: Date): Finding {
  const check = 'clock'
  const ahead_s = Math.round((here.getTime() - database.getTime()) / 1000)
  if (Math.abs(ahead_s) * 1000 <= MAX_SKEW_MS) return ok(check, 'within a minute of the database')
  const side = ahead_s > 0 ? 'ahead of' : 'behind'
  return warn(
    check,
    `this machine is ${Math.abs(ahead_s)} s ${side} the database`,
    'Set both clocks, for example with NTP.',
  )
}

export function checkSpace({
  free_bytes,
  total_bytes,
}: {
  free_bytes: number
  total_bytes: number
}): Finding {
  const check = 'disk'
  const percent = Math.floor((100 * free_bytes) / total_bytes)
  return free_bytes < LITTLE_SPACE * total_bytes
    ? warn(check, `only ${percent} % of the evidence disk is free`, 'Make room before reports are refused.')
    : ok(check, `${percent} % of the evidence disk is free`)
}
