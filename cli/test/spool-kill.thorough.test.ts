// Kills the program before and after every change that it makes to the file system. Whatever it leaves
// behind, the next command delivers each write once, and nothing is half done.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../server/test/harness.ts'
import { type Cli, makeCli, splitLine } from './run-cli.ts'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const HOOK = fileURLToPath(new URL('./kill-at-step.cjs', import.meta.url))

let app: TestApp
let url: string
let cli: Cli
beforeAll(async () => {
  app = await startTestApp()
  url = await app.server.listen({ host: '127.0.0.1', port: 0 })
  const env = { WAYBILL_HOST: url, WAYBILL_ORG: 'acme', WAYBILL_API_TOKEN: app.member.key ?? '' }
  cli = makeCli(env, () => app.clock.now().getTime())
  expect((await cli.run('create flow pipeline --use-empty-template')).code).toBe(0)
  expect((await cli.run('begin trail killed --flow pipeline')).code).toBe(0)
})
afterAll(async () => {
  cli.remove()
  await app.stop()
})

interface Died {
  code: number | null
  signal: NodeJS.Signals | null
  stderr: string
}

async function attest(name: string, kill_at?: string): Promise<Died> {
  const line = `attest generic --name ${name} --flow pipeline --trail killed`
  const child = spawn(process.execPath, ['--require', HOOK, PROGRAM, ...splitLine(line)], {
    cwd: cli.folder,
    env: {
      ...cli.env,
      NOW_MS: String(app.clock.now().getTime()),
      ...(kill_at === undefined ? {} : { KILL_AT: kill_at }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const [code, signal] = await once(child, 'close')
  return { code, signal, stderr }
}

async function countRecorded(name: string): Promise<number> {
  const path = `/attestations/acme/pipeline/trail/killed/${name}`
  const { body } = await app.member.get(path)
  return Array.isArray(body) ? body.length : 0
}

it('kill -9 before and after every change loses no spooled write, and duplicates none', async () => {
  const { code, stderr } = await attest('whole')
  expect(code, stderr).toBe(0)
  const changes = Number(/changes: (\d+)/.exec(stderr)?.[1])
  expect(changes).toBeGreaterThan(8)
  const queue = join(cli.folder, 'spool', 'queue')
  const outcomes: string[] = []
  for (let at = 1; at <= changes; at++) {
    for (const moment of ['before', 'after']) {
      const name = `at-${at}-${moment}`
      const { signal } = await attest(name, `${at} ${moment}`)
      const waits = readdirSync(queue).length
      const flushed = await cli.run('spool flush')
      expect(flushed, `${name}: ${flushed.stderr}`).toMatchObject({ code: 0 })
      expect(flushed.stderr, name).not.toContain('Damaged')
      expect(readdirSync(queue), name).toEqual([])
      const recorded = await countRecorded(name)
      // Everything in the queue is recorded; everything delivered before is recorded once.
      expect(recorded, name).toBeLessThanOrEqual(1)
      if (waits > 0) expect(recorded, name).toBe(1)
      outcomes.push(`${signal ?? 'ended'}: ${recorded}`)
    }
  }
  // Both happened: killed before the entry counted, and afterwards.
  expect(outcomes).toContain('SIGKILL: 0')
  expect(outcomes).toContain('SIGKILL: 1')
})
