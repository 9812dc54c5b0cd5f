// A version of the product from its commit: extracted from the history, built once, and started on a database.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OPENAPI, root } from '../../run/build.mjs'
import { findFreePort, ORG } from '../../run/service.mjs'

/** The tests open data that was sealed with this key. */
const SECRET_KEY = 'the secret key of all of the tests'
const BASE_URL = 'http://waybill.test'
const READY = /^Waybill is ready: .*\n/m
const FIRST_KEY = /^ {2}(wb_user_\w+)$/m
const POLL_MS = 20
/** The script's path in versions that predate the folders of scripts/. */
const BEFORE_ROOMS = 'scripts/prepare.mjs'
const OPENAPI_PATH = relative(root, OPENAPI)
/** Where older versions have the document committed. */
export const COMMITTED_OPENAPI = 'openapi.json'

/** Returns the version's folder, in .cache/. Installs its packages and builds it on first use. */
export function prepareVersion(commit) {
  const folder = join(root, '.cache', 'old-programs', commit)
  const mark = join(folder, '.prepared')
  if (existsSync(mark)) return folder
  mkdirSync(folder, { recursive: true })
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 })
  if (archive.status !== 0) throw new Error(`The history has no commit ${commit}: ${archive.stderr}`)
  run('tar', ['-x'], { cwd: folder, input: archive.stdout })
  const prepare = ['scripts/run/prepare.mjs', BEFORE_ROOMS].find(path => existsSync(join(folder, path)))
  run(process.execPath, [prepare], { cwd: folder })
  writeFileSync(mark, '')
  return folder
}

function run(command, args, options) {
  const { status } = spawnSync(command, args, { ...options, stdio: ['pipe', 2, 2] })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}

/** The API document of a prepared version. */
export function readOpenapi(folder) {
  const built = [OPENAPI_PATH, COMMITTED_OPENAPI].find(path => existsSync(join(folder, path)))
  return JSON.parse(readFileSync(join(folder, built), 'utf8'))
}

/** Starts a version. Resolves when it is ready, or rejects with its output if it ends before. */
export async function startVersion(folder, { url: database_url, data_dir }) {
  const port = await findFreePort()
  const child = spawn(process.execPath, [join(folder, 'server', 'dist', 'main.js'), 'serve'], {
    env: { ...buildEnvironment(database_url, data_dir), PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const closed = once(child, 'close')
  while (!READY.test(stdout)) {
    if (child.exitCode !== null) throw new Error(stderr.trim())
    await sleep(POLL_MS)
  }
  // The first key follows the ready line.
  await sleep(POLL_MS * 10)
  return {
    url: `http://127.0.0.1:${port}`,
    key: FIRST_KEY.exec(stdout)?.[1],
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}

export function runAdmin(folder, { url, data_dir }, args) {
  return spawnSync(process.execPath, [join(folder, 'server', 'dist', 'main.js'), 'admin', ...args], {
    env: buildEnvironment(url, data_dir),
    encoding: 'utf8',
  })
}

function buildEnvironment(database_url, data_dir) {
  return {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, HOST: '127.0.0.1' },
    ...{
      WAYBILL_DATA_DIR: data_dir,
      WAYBILL_ORG: ORG,
      WAYBILL_RATE_LIMIT: 'off',
      WAYBILL_LOG_LEVEL: 'error',
    },
    ...{ WAYBILL_SECRET_KEY: SECRET_KEY, WAYBILL_DNS_SERVER: '127.0.0.1:9', DATABASE_URL: database_url },
    WAYBILL_BASE_URL: BASE_URL,
  }
}

/** Sends a request to a service. A body whose values include a `data_json` is sent as a form with files. */
export async function send({ url, key }, method, path, body) {
  const form = body?.data_json === undefined ? undefined : buildForm(body)
  const json = body === undefined || form ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...json },
    body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
  })
  const text = await response.text()
  const is_json = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: is_json && text !== '' ? JSON.parse(text) : text }
}

function buildForm({ data_json, ...files }) {
  const form = new FormData()
  form.append('data_json', JSON.stringify(data_json))
  for (const [name, content] of Object.entries(files)) form.append(name, new Blob([content]), `${name}.txt`)
  return form
}
