// Starts moto on loopback, filled with resources for the reporters.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from '../../run/service.mjs'

/** Earlier versions check the signatures of some S3 keys wrongly. */
const VERSION = '5.2.5'
const CHECK = `
import boto3, moto, moto.server
assert [int(part) for part in moto.__version__.split('.')] >= [int(part) for part in '${VERSION}'.split('.')]
`
const PROGRAM = join(import.meta.dirname, 'serve_moto.py')

/** Prints a message and returns undefined if moto is missing. */
export function findMotoPython() {
  const python = process.env.MOTO_PYTHON || 'python3'
  const { status } = spawnSync(python, ['-c', CHECK], { stdio: 'ignore' })
  if (status === 0) return python
  console.log(
    `Skipped: ${python} has no moto ${VERSION}. Run pip install 'moto[server]==${VERSION}', or name a Python with MOTO_PYTHON.`,
  )
  return undefined
}

export async function startMoto(python) {
  const port = await findFreePort()
  const child = spawn(python, [PROGRAM, String(port)], { stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = once(child, 'close')
  const stop = async () => {
    child.kill('SIGKILL')
    await closed
  }
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue
    child.stdout.resume()
    return { url: `http://127.0.0.1:${port}`, ...JSON.parse(line), stop }
  }
  throw new Error('moto ended before it was ready')
}
