// Witnesses for tests: the real program in its own process, and servers that misbehave. Also the round that the
// worker makes every few seconds.
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  formatSignature,
  formatVerifierKey,
  generateKey,
  parsePolicy,
  parseWitnessRequest,
  type SignerKey,
  signNote,
} from '@waybill/transparency-log'
import { systemClock } from '../src/lib/clock.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import type { LogCounters } from '../src/log/counters.ts'
import { makeLogs } from '../src/log/logs.ts'
import { askWitnesses } from '../src/log/witnessing.ts'
import { buildEgress } from '../src/outbound.ts'
import { readConfig } from '../src/settings/config.ts'
import { PATIENT_EGRESS } from './egress.ts'
import { SECRET_KEY, type TestApp } from './harness.ts'
import { PATIENCE_MS, until } from './patience.ts'
import { addCleanUp, collectOutput, makeScratchFolder, spawnProgram, waitForEnd } from './service.ts'

export interface TestWitness {
  name: string
  vkey: string
  url: string
  folder: string
  stdout(): string
  /** Replaces the logs that it trusts. */
  trust(...vkeys: string[]): void
  post(body: string): Promise<{ status: number; type: string | null; text: string }>
  kill(): Promise<void>
}

/** Starts `waybill witness`. A folder of an earlier one continues it. */
export async function startWitness(
  name: string | undefined,
  folder = makeScratchFolder(),
): Promise<TestWitness> {
  const logs = join(folder, 'logs.txt')
  writeFileSync(logs, '', { flag: 'a' })
  const named = name === undefined ? [] : ['--name', name]
  const args = [
    'witness',
    '--state',
    join(folder, 'state'),
    '--logs',
    logs,
    '--listen',
    '127.0.0.1:0',
    ...named,
  ]
  const child = spawnProgram(args, {}, folder)
  addCleanUp(() => child.kill('SIGKILL'))
  const output = collectOutput(child)
  const ended = waitForEnd(child)
  let has_ended = false
  ended.then(() => {
    has_ended = true
  })
  const LINE = /^witness (\S+) (\S+) (\S+)$/m
  await until(() => {
    if (has_ended) throw new Error(`the witness ended: ${output.stderr()}`)
    return LINE.test(output.stdout())
  })
  const [, shown = '', vkey = '', url = ''] = LINE.exec(output.stdout()) ?? []
  return {
    name: shown,
    vkey,
    url,
    folder,
    stdout: output.stdout,
    trust: (...vkeys) => writeFileSync(logs, `# logs\n${vkeys.join('\n')}\n`),
    post: async body => {
      const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body })
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export interface FakeWitness {
  key: SignerKey
  vkey: string
  url: string
  bodies: string[]
  /** Its behaviour for each request. */
  answer: (body: string, response: http.ServerResponse) => void | Promise<void>
}

/** A fake witness. It cosigns everything until a test changes that. */
export async function startFakeWitness(name: string): Promise<FakeWitness> {
  const key = generateKey(name, 'cosignature')
  const fake: FakeWitness = {
    key,
    vkey: formatVerifierKey(key),
    url: '',
    bodies: [],
    answer: async (body, response) => void response.end(await cosign(key, body)),
  }
  const server = http.createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', text => {
      body += text
    })
    request.on('end', () => {
      fake.bodies.push(body)
      void fake.answer(body, response)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  addCleanUp(() => {
    server.closeAllConnections()
    server.close()
  })
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return fake
}

/** Responds like a witness, whatever it has seen. */
export async function cosign(key: SignerKey, body: string): Promise<string> {
  const { checkpoint } = parseWitnessRequest(body)
  const time_s = Math.floor(systemClock.now().getTime() / 1000)
  const { signatures } = await signNote(checkpoint.text, [key], time_s)
  return signatures.map(formatSignature).join('')
}

/**
 * Asks the policy's witnesses, as the worker does every few seconds, in a process that has just started. Returns the
 * process's counters.
 */
export async function askNow(app: TestApp, text: string, limit_ms = PATIENCE_MS): Promise<LogCounters> {
  const { db, evidence } = app
  const ids = makeIds(systemClock)
  const log = makeLog('silent')
  const egress = buildEgress(readConfig({ WAYBILL_LOG_POLICY: text }), {
    version: '0',
    clock: systemClock,
    log,
    limits: PATIENT_EGRESS,
  })
  const logs = makeLogs({ db, evidence, clock: app.clock, ids, sealer: makeSealer(SECRET_KEY), log })
  const policy = parsePolicy(text)
  await askWitnesses({ db, logs, egress, clock: systemClock, ids, log, policy, limit_ms })
  return logs.counters
}

/** A minute later, from the worker's point of view. */
export const passMinute = (app: TestApp) => passSeconds(app, 61)

export const passHour = (app: TestApp) => passSeconds(app, 3_601)

async function passSeconds(app: TestApp, seconds: number): Promise<void> {
  await app.sql('update log_witnesses set asked_at = asked_at - make_interval(secs => $1)', [seconds])
}
