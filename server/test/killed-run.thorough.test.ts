// A killed test run leaves no process and no file behind.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { until } from './patience.ts'
import { addCleanUp, killPostmaster, readPostmasterPid } from './service.ts'

interface Run {
  pid: number
  folder: string
  cluster_folder: string
  data_dir: string
  service_pid: number
}

it.each([
  ['is killed', 'folder', (run: Run): boolean => process.kill(run.pid, 'SIGKILL')],
  [
    'is killed with its whole process group',
    'cluster_folder',
    (run: Run): boolean => process.kill(-run.pid, 'SIGKILL'),
  ],
  ['is interrupted', 'folder', (run: Run): boolean => process.kill(run.pid, 'SIGINT')],
] as const)('a run that %s leaves nothing behind in its %s', async (_, parent, end) => {
  const run = await startRun(parent)
  const postmaster_pid = readPostmasterPid(run.data_dir) ?? 0
  expect(readCommand(run.service_pid)).toContain('serve')
  expect(readCommand(postmaster_pid)).toContain('postgres')
  expect(readdirSync(run.folder)).not.toEqual([])
  end(run)
  for (const pid of [run.pid, run.service_pid, postmaster_pid]) await until(() => readCommand(pid) === '')
  for (const folder of [run.folder, run.cluster_folder]) await until(() => !existsSync(folder))
})

/** Acts as vitest and one of its workers: the first begins the run, the second starts a service and waits. */
const RUN = `
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { startTestRun } from '${join(root, 'scripts', 'test', 'test-run.mjs')}'
const run = startTestRun()
const data_dir = join(run[process.env.PARENT], 'waybill-service-a1b2c3', 'data')
const { PATH, HOME, TMPDIR } = process.env
const env = { PATH, HOME, TMPDIR, WAYBILL_DATA_DIR: data_dir, PORT: '0', WAYBILL_DNS_SERVER: '127.0.0.1:9' }
const service = spawn(process.execPath, ['${join(root, 'server', 'dist', 'main.js')}', 'serve'], { env })
service.stderr.pipe(process.stderr)
service.once('exit', () => process.exit(1))
service.stdout.on('data', text => {
  if (!String(text).includes('Waybill is ready')) return
  console.log(JSON.stringify({ pid: process.pid, ...run, data_dir, service_pid: service.pid }))
})
setInterval(() => undefined, 1000)
`

async function startRun(parent: 'folder' | 'cluster_folder'): Promise<Run> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN], {
    detached: true,
    env: { ...process.env, PARENT: parent },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  addCleanUp(() => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    const run: Run = JSON.parse(line)
    addCleanUp(() => killPostmaster(run.data_dir, 'SIGQUIT'))
    return run
  }
  throw new Error('the run ended before its service was ready')
}

/** Empty if no such process runs. */
function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // The process ended.
    return ''
  }
}
