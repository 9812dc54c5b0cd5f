// Stores the key that a job got for its only identity token in a file, for later commands of the job. The
// service accepts each token once, so a second command could not get another key.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CiJob } from './detect.ts'
import type { Environment } from './systems.ts'

export interface CiKey {
  key: string
  expires_at: number
  rule: string
}

/** Identifies the service, organization and token that a key belongs to. */
interface Exchanged {
  host: string
  org: string
  token: string
}

export interface KeyStore {
  find(exchanged: Exchanged): CiKey | undefined
  keep(exchanged: Exchanged, key: CiKey): void
}

/** A key that expires sooner is not worth a request. */
const SHORTEST_LIFE_MS = 5_000

export function openKeyStore(folder: string, now_ms: () => number): KeyStore {
  const isAlive = ({ expires_at }: CiKey) => expires_at * 1000 - now_ms() > SHORTEST_LIFE_MS
  return {
    find: exchanged => {
      const found = readKeyFile(join(folder, nameFile(exchanged)))
      return found !== undefined && isAlive(found) ? found : undefined
    },
    keep: (exchanged, key) => {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        removeDead(folder, isAlive)
        const path = join(folder, nameFile(exchanged))
        // A command running at the same time must never read half a key.
        writeFileSync(`${path}.new`, JSON.stringify(key), { mode: 0o600, flag: 'wx' })
        renameSync(`${path}.new`, path)
      } catch {
        // Without a writable folder, the key lasts as long as the command.
      }
    },
  }
}

/** The folder that is removed with the job, or the user's own. */
export function getKeyFolder(ci: CiJob | undefined, env: Environment): string {
  const variable = ci?.system.temporary_folder
  const of_job = variable === undefined ? undefined : env[variable]
  if (of_job) return join(of_job, 'waybill-keys')
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'waybill', 'job-keys')
}

/** Only the holder of the token can compute the name. */
function nameFile({ host, org, token }: Exchanged): string {
  return `${createHash('sha256')
    .update(JSON.stringify([host, org, token]))
    .digest('hex')}.json`
}

function readKeyFile(path: string): CiKey | undefined {
  try {
    const { key, expires_at, rule } = JSON.parse(readFileSync(path, 'utf8')) as Partial<CiKey>
    if (typeof key !== 'string' || typeof expires_at !== 'number' || typeof rule !== 'string')
      return undefined
    return { key, expires_at, rule }
  } catch {
    // The file is missing or damaged: exchange the token.
    return undefined
  }
}

function removeDead(folder: string, isAlive: (key: CiKey) => boolean): void {
  for (const name of readdirSync(folder)) {
    const found = readKeyFile(join(folder, name))
    if (found === undefined || !isAlive(found)) rmSync(join(folder, name), { force: true })
  }
}
