// Reads a file that an argument names.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { failUsage } from '../program/problem.ts'

export function readArgumentFile(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    failUsage(code === 'ENOENT' ? `The file ${path} does not exist` : `${path} cannot be read: ${message}`)
  }
}
