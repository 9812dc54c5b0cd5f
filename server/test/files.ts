// Looks into every file below a folder, also while a PostgreSQL works in it.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** Without the files that the running PostgreSQL removes meanwhile. */
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
