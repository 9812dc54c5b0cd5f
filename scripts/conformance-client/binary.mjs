// Finds the program of the existing client: KOSLI_BINARY, or `kosli` on PATH.
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Undefined if there is none. */
export function findBinary() {
  const configured = process.env.KOSLI_BINARY
  if (configured !== undefined && configured !== '') {
    if (isProgram(configured)) return resolve(configured)
    console.error(`KOSLI_BINARY is ${configured}, which is not an executable file`)
    process.exit(1)
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map(folder => join(folder, 'kosli')).find(isProgram)
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
