// Built-in TLS, for installations without a proxy in front. Certificates are renewed every few weeks: the files are
// read again every minute, and new connections use the new certificate. An unusable pair is logged and changes
// nothing else.
import { readFile } from 'node:fs/promises'
import { createServer, Server, type ServerOptions } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { FastifyBaseLogger, FastifyInstance, FastifyServerFactory } from 'fastify'
import { SettingProblem } from '../settings/setting.ts'

const RELOAD_MS = 60_000
const MIN_VERSION = 'TLSv1.2'

export interface TlsFiles {
  cert_file: string
  key_file: string
}

type TlsLog = Pick<FastifyBaseLogger, 'info' | 'error'>

export interface TlsPair {
  cert: string
  key: string
}

/** The timeouts that Fastify sets for its own server. */
interface Timeouts {
  keep_alive_ms: number
  silent_ms: number
}

/** Rejects with a sentence for the operator if the pair cannot be used. */
export async function readTlsPair({ cert_file, key_file }: TlsFiles): Promise<TlsPair> {
  const [cert, key] = await Promise.all([
    readPem(cert_file, 'WAYBILL_TLS_CERT_FILE'),
    readPem(key_file, 'WAYBILL_TLS_KEY_FILE'),
  ])
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new SettingProblem(
      `WAYBILL_TLS_CERT_FILE and WAYBILL_TLS_KEY_FILE are not a certificate and its key (${(error as Error).message})`,
    )
  }
  return { cert, key }
}

async function readPem(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new SettingProblem(`${setting}: the file cannot be read (${(error as Error).message})`)
  }
}

export function makeTlsFactory(
  pair: TlsPair,
  options: ServerOptions,
  { keep_alive_ms, silent_ms }: Timeouts,
): FastifyServerFactory {
  return handler => {
    const server = createServer({ ...options, ...pair, minVersion: MIN_VERSION }, handler)
    server.keepAliveTimeout = keep_alive_ms
    server.setTimeout(silent_ms)
    return server
  }
}

/**
 * Returns a function that reads the files again, and resolves with whether the certificate changed. Polls instead of
 * watching: Kubernetes replaces a symbolic link above the file, which watchers of the file do not notice.
 */
export function makeTlsReload(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  first: TlsPair,
  log: TlsLog,
): () => Promise<boolean> {
  let used = first
  return async () => {
    const pair = await readTlsPair(files).catch((error: Error) => {
      log.error({ reason: error.message }, 'the new certificate cannot be used; the old one stays in use')
      return used
    })
    if (pair.cert === used.cert && pair.key === used.key) return false
    used = pair
    server.setSecureContext({ ...pair, minVersion: MIN_VERSION })
    log.info('new connections use the new certificate')
    return true
  }
}

/** Runs until the server closes. */
export function reloadTls(instance: FastifyInstance, files: TlsFiles, first: TlsPair, log: TlsLog): void {
  const { server } = instance
  if (!(server instanceof Server)) throw new Error('Only a TLS server has a certificate')
  const timer = setInterval(makeTlsReload(server, files, first, log), RELOAD_MS).unref()
  instance.addHook('onClose', async () => clearInterval(timer))
}
