// Reads every file below a folder, even while PostgreSQL is using it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** Skips files that a running PostgreSQL removes meanwhile. */
export function readFiles(folder: string): { path: string; content: Buffer }[] {
  return listFiles(folder).flatMap(path => {
    try {
      return [{ path, content: readFileSync(path) }]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  })
}
