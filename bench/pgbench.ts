// Runs a script with pgbench, PostgreSQL's own load generator, on a benchmark's database: shows what the database can
// do without anything in front of it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseAddress } from '@waybill/embedded-postgres'
import type { Rate } from './http-load.ts'

export interface PgbenchScript {
  /** A folder for the script. */
  folder: string
  address: DatabaseAddress
  /** The settings of every session. */
  settings: Record<string, string>
  text: string
}

export function hasPgbench(): boolean {
  return spawnSync('pgbench', ['--version']).status === 0
}

/** Added for each client: pgbench opens new sessions in every run, and they are slow until they know the tables. */
const SESSION_MS = 100

/** Returns a function that runs the script for a number of whole seconds, because pgbench counts in seconds. */
export async function preparePgbench({ folder, address, settings, text }: PgbenchScript) {
  const file = join(folder, 'script.pgbench')
  await writeFile(file, text)
  const env = {
    ...process.env,
    PGHOST: address.host,
    PGPORT: String(address.port),
    PGUSER: address.user,
    PGPASSWORD: address.password,
    PGDATABASE: address.database,
    PGOPTIONS: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  }
  return async (clients: number, duration_ms: number): Promise<Rate> => {
    const seconds = Math.max(1, Math.round((duration_ms + clients * SESSION_MS) / 1000))
    const args = ['-n', '-M', 'prepared', '-j', '1', '-c', String(clients), '-T', String(seconds), '-f', file]
    const child = spawn('pgbench', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', chunk => {
        output += chunk
      })
    }
    const [code] = await once(child, 'close')
    const per_second = Number(/^tps = ([\d.]+)/m.exec(output)?.[1])
    const requests = Number(/actually processed: (\d+)/.exec(output)?.[1])
    if (code !== 0 || !(requests > 0)) throw new Error(`pgbench failed:\n${output}`)
    return { requests, per_second }
  }
}
