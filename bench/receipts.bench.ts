// The cost of a receipt for a command, from its start to its end: the same command with and without, in turns. Proof,
// checks and file are all in it. The floor is how much two commands without a receipt differ. Once on the machine of the
// service, and once 10 ms away, as in a pipeline: there the program has time to load what it needs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { makeScratch, ORG, ROOT, startService } from './bench-service.ts'
import { computeMedian, print, printRatio, printTitle } from './report.ts'

const ROUNDS = 40
const WARM_UP_ROUNDS = 5
const DELAY_MS = 10
const PROGRAM = join(ROOT, 'cli', 'dist', 'main.js')
/** Without the spool, which waits for the disk longer than a receipt takes. */
const LINE = ['attest', 'generic', '--flow', 'measured', '--trail', 't', '--name', 'x', '--spool', 'off']

const scratch = await makeScratch()
const service = await startService()
const far = createServer(socket => delay(socket, service.port))
try {
  far.listen(0, '127.0.0.1')
  await once(far, 'listening')
  await service.put(`/flows/${ORG}`, { name: 'measured', description: '' })
  await service.put(`/trails/${ORG}/measured`, { name: 't' })
  await measureAt('On the machine of the service', service.port)
  await measureAt(`${DELAY_MS} ms away from it`, (far.address() as AddressInfo).port)
} finally {
  far.close()
  await service.stop()
  await rm(scratch, { recursive: true, force: true })
}

async function measureAt(where: string, port: number): Promise<void> {
  const times = { receipt: [] as number[], none: [] as number[], again: [] as number[] }
  const runs = [
    { into: times.receipt, more: [] },
    { into: times.none, more: ['--no-receipts'] },
    { into: times.again, more: ['--no-receipts'] },
  ]
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    // Whoever comes second finds a warm cache.
    for (const { into, more } of rotate(runs, round + WARM_UP_ROUNDS)) {
      const took_ms = await measure(port, more)
      if (round >= 0) into.push(took_ms)
    }
  }
  const added = times.receipt.map((ms, round) => ms - (times.none[round] ?? Number.NaN))
  const floor = times.again.map((ms, round) => ms - (times.none[round] ?? Number.NaN))
  printTitle(`${where}: waybill attest generic, ${ROUNDS} rounds`)
  print({ name: 'time that the receipt adds', value: computeMedian(added), unit: 'ms', aim: { at_most: 3 } })
  print({ name: 'the floor: the same without a receipt', value: computeMedian(floor), unit: 'ms' })
  printRatio('with a receipt / without', times.receipt, times.none)
  printRatio('the floor: without / without', times.again, times.none)
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

/** In milliseconds. */
async function measure(port: number, more: readonly string[]): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [PROGRAM, ...LINE, ...more], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOME: scratch,
      WAYBILL_HOST: `http://127.0.0.1:${port}`,
      WAYBILL_ORG: ORG,
      WAYBILL_API_TOKEN: service.key,
    },
  })
  const [code] = await once(child, 'close')
  const took_ms = performance.now() - started
  if (code !== 0) throw new Error(`The command exits with ${code}`)
  return took_ms
}

function delay(near: Socket, port: number): void {
  const away = connect(port, '127.0.0.1')
  for (const [from, to] of [
    [near, away],
    [away, near],
  ] as const) {
    from.on('data', chunk => void setTimeout(() => to.write(chunk), DELAY_MS))
    from.on('close', () => void setTimeout(() => to.destroy(), DELAY_MS))
    from.on('error', () => to.destroy())
  }
}
