// Each exit code, against a real service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { startTestApp, type TestApp } from '../../server/test/harness.ts'
import { makeCatalogue } from '../src/program/catalogue.ts'
import { defineCommand } from '../src/program/command.ts'
import { EXIT_CODES, EXIT_SUMMARIES, type Exit } from '../src/program/exit-codes.ts'
import { runCli } from '../src/program/run.ts'
import { type Cli, makeCli, type Ran } from './run-cli.ts'

const NOWHERE = 'http://127.0.0.1:1'
const QUICK = '--timeout 1 --max-api-retries 0'

const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: generic\n'

let app: TestApp
let cli: Cli
/** Accepts every request and never responds. */
let silent: Server

beforeAll(async () => {
  app = await startTestApp()
  const url = await app.server.listen({ host: '127.0.0.1', port: 0 })
  const env = { WAYBILL_HOST: url, WAYBILL_ORG: 'acme', WAYBILL_API_TOKEN: app.member.key ?? '' }
  cli = makeCli(env, () => app.clock.now().getTime())
  writeFileSync(join(cli.folder, 'template.yml'), TEMPLATE)
  silent = createServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
})
afterAll(async () => {
  silent.closeAllConnections()
  silent.close()
  cli.remove()
  await app.stop()
})

const broken = defineCommand({
  words: ['break'],
  summary: 'fails',
  args: [],
  flags: {},
  needs: 'nothing',
  operations: [],
  examples: [],
  run: () => Promise.reject(new TypeError('not a function')),
})

async function runBroken(): Promise<Ran> {
  const ran = { stdout: '', stderr: '' }
  const code = await runCli(
    {
      argv: ['break'],
      env: { HOME: cli.folder },
      cwd: cli.folder,
      version: '0',
      getStdin: () => Readable.from([]) as unknown as NodeJS.ReadStream,
      writeOut: text => {
        ran.stdout += text
      },
      writeError: text => {
        ran.stderr += text
      },
      isTerminal: () => false,
      now_ms: () => 0,
      random_hex: () => '0',
      signal: new AbortController().signal,
    },
    makeCatalogue([broken]),
  )
  return { code, ...ran }
}

/** The built program, interrupted while it waits for an answer. */
async function interrupt(): Promise<Ran> {
  const { port } = silent.address() as AddressInfo
  const args = [join(root, 'cli', 'dist', 'main.js'), 'list', 'flows', '--host', `http://127.0.0.1:${port}`]
  const asked = once(silent, 'request')
  const child = spawn(process.execPath, args, {
    env: cli.env,
    cwd: cli.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = text(child.stderr)
  const closed = once(child, 'close')
  // A program that cannot start never asks.
  await Promise.race([asked, closed])
  child.kill('SIGINT')
  const [code] = await closed
  return { code, stdout: '', stderr: await said }
}

async function assertWithoutEvidence(): Promise<Ran> {
  await cli.run('create flow gated --template-file template.yml')
  await cli.run('begin trail one --flow gated')
  return cli.run('assert trail one --flow gated')
}

async function createTwice(): Promise<Ran> {
  const env = { WAYBILL_API_TOKEN: app.admin.key ?? '' }
  await cli.run("create control C-1 --name 'Code is reviewed'", { env })
  return cli.run("create control C-1 --name 'Another'", { env })
}

async function assertBeforeReports(): Promise<Ran> {
  await cli.run('create environment silent --type server')
  return cli.run('assert snapshot silent')
}

async function recordStrictly(): Promise<Ran> {
  await cli.run('create flow spooled --use-empty-template')
  const env = { WAYBILL_HOST: NOWHERE }
  return cli.run(`begin trail one --flow spooled --spool=strict ${QUICK}`, { env })
}

const CASES: Record<Exit, { run(): Promise<Ran>; says?: string }> = {
  done: { run: () => cli.run('list flows') },
  failure: { run: runBroken, says: 'This is a bug of waybill' },
  usage: { run: () => cli.run('create environment x --type moon'), says: '--type: "moon" is not one of' },
  unreachable: {
    run: () => cli.run(`list flows ${QUICK}`, { env: { WAYBILL_HOST: NOWHERE } }),
    says: 'The service could not be reached: 127.0.0.1:1: nothing listens there',
  },
  no: { run: assertWithoutEvidence },
  not_allowed: {
    run: () => cli.run('list flows', { env: { WAYBILL_API_TOKEN: 'wb_user_wrong' } }),
    says: 'The API key is not valid',
  },
  not_found: { run: () => cli.run('get flow nowhere'), says: "Flow named 'nowhere' does not exist" },
  conflict: { run: createTwice, says: 'already exists' },
  unknown: { run: assertBeforeReports },
  spooled: { run: recordStrictly, says: 'It waits in the spool' },
  interrupted: { run: interrupt },
}

const ALL = (Object.keys(EXIT_CODES) as Exit[]).map(exit => [EXIT_CODES[exit], exit] as const)

describe.each(ALL)('exit code %d', (code, exit) => {
  it(`means: ${EXIT_SUMMARIES[exit]}`, async () => {
    const { run, says = '' } = CASES[exit]
    const ran = await run()
    expect(ran, ran.stderr).toMatchObject({ code })
    expect(ran.stderr).toContain(says)
  })
})

describe('the answer of the service', () => {
  it.each([
    ['an invalid field', "create environment 'bad name' --type server", {}, EXIT_CODES.usage, 'name: '],
    [
      'a role that is too low',
      'archive flow spooled',
      'reader',
      EXIT_CODES.not_allowed,
      "You don't have permission",
    ],
    ['another organization', 'list flows --org elsewhere', {}, EXIT_CODES.not_allowed, 'Access denied'],
  ] as const)(
    'to %s has its exit code, and is shown with the id of the request',
    async (_, line, role, code, says) => {
      const env: Record<string, string> = role === 'reader' ? { WAYBILL_API_TOKEN: app.reader.key ?? '' } : {}
      const ran = await cli.run(line, { env })
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toContain(says)
      expect(ran.stderr).toMatch(/^Request: \S+$/m)
    },
  )
})

describe('the built program', () => {
  it('answers on standard output alone', async () => {
    const args = [join(root, 'cli', 'dist', 'main.js'), 'list', 'flows', '--output', 'json']
    const child = spawn(process.execPath, args, {
      env: cli.env,
      cwd: cli.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', text => {
        output[name] += text
      })
    const [code] = await once(child, 'close')
    expect([code, output.stderr]).toEqual([0, ''])
    expect(JSON.parse(output.stdout)).toEqual(expect.any(Array))
  })
})
