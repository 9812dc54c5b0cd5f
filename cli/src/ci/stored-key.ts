// The key that a job got for its only identity token, kept in a file for the next commands of the job. The service accepts
// each token once, so a second command could not get another key.
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

/** What a key belongs to. */
interface Exchanged {
  host: string
  org: string
  token: string
}

export interface KeyStore {
  find(exchanged: Exchanged): CiKey | undefined
  keep(exchanged: Exchanged, key: CiKey): void
}

/** A key that ends sooner is not worth a request. */
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
        // Never half a key for a command that runs at the same time.
        writeFileSync(`${path}.new`, JSON.stringify(key), { mode: 0o600, flag: 'wx' })
        renameSync(`${path}.new`, path)
      } catch {
        // Without a folder to write to, the key lives as long as the command.
      }
    },
  }
}

/** The folder that is removed with the job, or one of the user. */
export function getKeyFolder(ci: CiJob | undefined, env: Environment): string {
  const variable = ci?.system.temporary_folder
  const of_job = variable === undefined ? undefined : env[variable]
  if (of_job) return join(of_job, 'waybill-keys')
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'waybill', 'job-keys')
}

/** Only who has the token can tell the name. */
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
    // There is none, or it is damaged: the token is exchanged.
    return undefined
  }
}

function removeDead(folder: string, isAlive: (key: CiKey) => boolean): void {
  for (const name of readdirSync(folder)) {
    const found = readKeyFile(join(folder, name))
    if (found === undefined || !isAlive(found)) rmSync(join(folder, name), { force: true })
  }
}
