// The CI job that the program runs in, with the file of its event.
import { readFileSync } from 'node:fs'
import { type CiJob, detectCi } from '../ci/detect.ts'
import type { Environment } from '../ci/systems.ts'

export function readCiJob(env: Environment): CiJob | undefined {
  return detectCi(env, path => {
    try {
      return JSON.parse(readFileSync(path, 'utf8'))
    } catch {
      // Without it, the variables of the job count.
      return undefined
    }
  })
}
