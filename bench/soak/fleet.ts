// The fleet of a soak: two serving processes and two workers, on their own durable PostgreSQL, behind a load
// balancer, with a receiver of notifications.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Balancer, startBalancer } from '@waybill/testing/balancer'
import { type HttpsSink, startHttpsSink } from '@waybill/testing/tls'
import { buildServiceEnvironment, findFreePort, ROOT, waitUntilReady } from '../bench-service.ts'
import { type SoakDatabase, startDatabase } from './database.ts'

export interface Member {
  role: 'serve' | 'work'
  port: number
  process: ChildProcess
  start(): Promise<string | undefined>
}

export interface Fleet {
  database: SoakDatabase
  balancer: Balancer
  receiver: HttpsSink
  serving: Member[]
  working: Member[]
  key: string
  evidence_dir: string
  settings: NodeJS.ProcessEnv
  stop(): Promise<void>
}

export async function startFleet(): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-soak-'))
  const database = await startDatabase(folder)
  const receiver = await startHttpsSink()
  writeFileSync(join(folder, 'ca.pem'), receiver.ca_pem)
  const evidence_dir = join(folder, 'evidence')
  mkdirSync(evidence_dir)
  const settings = {
    DATABASE_URL: database.url,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    WAYBILL_EGRESS_ALLOW: '127.0.0.0/8',
    WAYBILL_DNS_SERVER: '127.0.0.1:9',
    WAYBILL_EVIDENCE_URL: `file://${evidence_dir}`,
    WAYBILL_SECRET_KEY: 'a secret key of the soak, long enough',
    WAYBILL_RETRY_SCHEDULE: Array.from({ length: 100 }, (_, i) => Math.min(i, 5)).join(),
    WAYBILL_DRAIN_SECONDS: '1',
    WAYBILL_LOG_LEVEL: 'error',
  }
  const members: Member[] = []
  let key: string | undefined
  for (const role of ['serve', 'serve', 'work', 'work'] as const) {
    const member = await makeMember(role, join(folder, `member-${members.length}`), settings)
    members.push(member)
    const printed = await member.start()
    key ??= printed
  }
  const serving = members.slice(0, 2)
  const balancer = await startBalancer({ ports: serving.map(member => member.port), probe_every_ms: 50 })
  return {
    database,
    balancer,
    receiver,
    serving,
    working: members.slice(2),
    key: key ?? '',
    evidence_dir,
    settings: { ...settings, WAYBILL_DATA_DIR: join(folder, 'member-0') },
    stop: async () => {
      await balancer.stop()
      for (const member of members) await end(member, 'SIGKILL')
      await receiver.stop()
      await database.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function makeMember(role: Member['role'], data_dir: string, env: NodeJS.ProcessEnv): Promise<Member> {
  const port = await findFreePort()
  const start = async () => {
    member.process = spawn(process.execPath, [join(ROOT, 'server/dist/main.js'), 'serve'], {
      env: { ...buildServiceEnvironment(data_dir, port), ...env, WAYBILL_ROLE: role },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return (await waitUntilReady(member.process)).key
  }
  const member = { role, port, start, process: undefined as unknown as ChildProcess }
  return member
}

export async function end({ process: child }: Member, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
