// Reads the CI job that the program runs in, with its event file.
import { readFileSync } from 'node:fs'
import { type CiJob, detectCi } from '../ci/detect.ts'
import type { Environment } from '../ci/systems.ts'

export function readCiJob(env: Environment): CiJob | undefined {
  return detectCi(env, path => {
    try {
      return JSON.parse(readFileSync(path, 'utf8'))
    } catch {
      // Without the file, the job's variables count.
      return undefined
    }
  })
}
