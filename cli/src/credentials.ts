// The keys that `waybill login` stores for the user: one file, readable only by its owner, with one key per
// service.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from './ci/systems.ts'
import { failUsage } from './program/problem.ts'
import { getUserFile } from './values/files.ts'

interface Stored {
  [host: string]: { token: string; expires_at?: number }
}

const getPath = (env: Environment) => join(dirname(getUserFile(env)), 'credentials.json')

export function readStoredToken(env: Environment, host: string): string | undefined {
  return readAll(env)[host]?.token
}

export function storeToken(env: Environment, host: string, token: string): string {
  const path = getPath(env)
  write(path, { ...readAll(env), [host]: { token } })
  return path
}

/** Returns whether a key existed. */
export function removeToken(env: Environment, host: string): boolean {
  const { [host]: removed, ...others } = readAll(env)
  if (removed === undefined) return false
  write(getPath(env), others)
  return true
}

function readAll(env: Environment): Stored {
  const path = getPath(env)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    return JSON.parse(text) as Stored
  } catch {
    failUsage(`${path} is damaged`, 'Remove it and sign in again.')
  }
}

function write(path: string, stored: Stored): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, JSON.stringify(stored), { mode: 0o600, flush: true })
  renameSync(temporary, path)
}
