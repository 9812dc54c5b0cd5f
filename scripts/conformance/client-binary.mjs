// Finds the binary of the unmodified client: KOSLI_BINARY, or `kosli` on PATH.
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Prints a message and returns undefined if there is none. A KOSLI_BINARY that is not a program is an error. */
export function findClientBinary() {
  const configured = process.env.KOSLI_BINARY
  if (configured !== undefined && configured !== '') {
    if (isProgram(configured)) return resolve(configured)
    console.error(`KOSLI_BINARY is ${configured}, which is not an executable file`)
    process.exit(1)
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const found = folders.map(folder => join(folder, 'kosli')).find(isProgram)
  if (found === undefined) {
    console.log('Skipped: no kosli binary found. Set KOSLI_BINARY or put it on PATH.')
  }
  return found
}

function isProgram(path) {
  if (!existsSync(path)) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // The file exists but is not executable.
    return false
  }
}
