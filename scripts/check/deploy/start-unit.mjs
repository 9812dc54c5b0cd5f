// The packed program, installed as in docs/operate/install/systemd.md and started by a real systemd: it serves,
// survives kill -9, runs an admin command, stops cleanly, and uses an external database.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPacked, packProgram } from '../../release/pack.mjs'
import { root } from '../../run/prepare.mjs'
import { startMachine, until } from './systemd/machine.mjs'
import { fail } from './tools.mjs'

const UNITS = join(root, 'deploy/systemd')
const PASSWORD = 'not-in-any-environment'
const DATABASE_PORT = 5433
const DATABASE = `postgres://waybill:${PASSWORD}@127.0.0.1:${DATABASE_PORT}/postgres`
/** systemd gives such ids to users that exist only while a service runs. */
const DYNAMIC_USERS = { first: 61_184, last: 65_519 }

export async function checkRunningUnit() {
  if (process.getuid?.() !== 0) return console.log('NOT CHECKED  the unit under systemd: needs root')
  const folder = mkdtempSync(join(tmpdir(), 'waybill-systemd-'))
  try {
    const machine = await startMachine(await prepareMachine(folder))
    try {
      const key = await checkFirstStart(machine)
      await checkKill(machine, key)
      checkAdminCommand(machine)
      checkStop(machine)
      await checkExternalDatabase(machine)
    } finally {
      machine.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function prepareMachine(folder) {
  const [local, units, empty] = ['local', 'units', 'root'].map(name => join(folder, name))
  for (const each of [local, units, empty]) mkdirSync(each)
  // Without install scripts, as cautious people install packages.
  installPacked(await packProgram(folder), local)
  copyFileSync(process.execPath, join(local, 'bin', 'node'))
  copyFileSync(join(UNITS, 'waybill.service'), join(units, 'waybill.service'))
  return { root: empty, local, units }
}

/** Returns the first key. */
async function checkFirstStart(machine) {
  must(machine, 'the unit starts', 'systemctl', 'start', 'waybill')
  const key = await readFirstKey(machine, 1)
  const status = read(machine, 'cat', `/proc/${show(machine, 'MainPID')}/status`)
  const user = Number(/^Uid:\t(\d+)/m.exec(status)?.[1])
  const isConfined = /^CapEff:\t0+$/m.test(status) && /^NoNewPrivs:\t1$/m.test(status)
  say('it runs as a user of its own without any capability', isInRange(user) && isConfined, status)
  const mode = read(machine, 'stat', '-c', '%a %u', '/var/lib/private/waybill').trim()
  say('its data is closed to others', mode === `700 ${user}`, mode)
  const { status: created } = await ask(machine, 'PUT', key, { name: 'kept', description: '' })
  say('it records a flow', created === 201, String(created))
  return key
}

async function checkKill(machine, key) {
  must(machine, 'the service is killed', 'systemctl', 'kill', '-s', 'KILL', '--kill-whom=main', 'waybill')
  await until('the service is started again', () => show(machine, 'NRestarts') === '1')
  await untilReady(machine, 2)
  const { text } = await ask(machine, 'GET', key)
  say('it is started again and has lost nothing', text.includes('"kept"'), text)
}

/** The command from the document, unchanged except for the terminal. */
function checkAdminCommand(machine) {
  const page = readFileSync(join(root, 'docs/operate/install/systemd.md'), 'utf8')
  const command = /^sudo (systemd-run (?:.*\\\n)*.*)$/m.exec(page)?.[1]?.replace('--pty', '--pipe')
  must(machine, 'the admin command of the document runs beside it', 'sh', '-c', command ?? 'exit 9')
}

function checkStop(machine) {
  must(machine, 'it stops', 'systemctl', 'stop', 'waybill')
  say('it stops cleanly', show(machine, 'Result') === 'success', readJournal(machine))
}

async function checkExternalDatabase(machine) {
  startDatabase(machine)
  const write = (path, text) =>
    must(machine, `write ${path}`, 'sh', '-c', 'printf %s "$1" > "$0"', path, text)
  write('/etc/waybill/secrets/DATABASE_URL', DATABASE)
  write('/etc/waybill/secrets/WAYBILL_SECRET_KEY', 'A'.repeat(64))
  const file = 'waybill.service.d/external-database.conf'
  must(machine, 'make the folder of drop-ins', 'mkdir', '/etc/systemd/system/waybill.service.d')
  write(`/etc/systemd/system/${file}`, readFileSync(join(UNITS, file), 'utf8'))
  must(machine, 'systemd reads the drop-in', 'systemctl', 'daemon-reload')
  const ready = countReady(machine)
  must(machine, 'the unit starts with an external database', 'systemctl', 'start', 'waybill')
  await untilReady(machine, ready + 1)
  const key = await readFirstKey(machine, 2)
  const { status } = await ask(machine, 'PUT', key, { name: 'elsewhere', description: '' })
  say('it records a flow there', status === 201, String(status))
  const environment = read(machine, 'cat', `/proc/${show(machine, 'MainPID')}/environ`)
  say('no process sees the secrets', !environment.includes(PASSWORD) && environment.includes('_FILE='), '')
  checkStop(machine)
}

/** Uses the programs that the embedded database has left in the data directory. */
function startDatabase(machine) {
  const script = `cd /var/lib/waybill && bin=$(echo "$PWD"/waybill-postgres-*/bin) &&
    printf %s ${PASSWORD} > password && "$bin/initdb" -D external -U waybill -A scram-sha-256 --pwfile=password -E UTF8 &&
    exec "$bin/postgres" -D external -k /tmp -h 127.0.0.1 -p ${DATABASE_PORT}`
  const properties = ['DynamicUser=yes', 'User=waybill', 'StateDirectory=waybill', 'PrivateTmp=yes']
  const args = properties.flatMap(each => ['-p', each])
  must(machine, 'a database is started', 'systemd-run', '--unit=database', ...args, 'sh', '-c', script)
}

/** For the first database that is started, the second and so on: each has its own first key. */
async function readFirstKey(machine, number) {
  const list = () => [...new Set(readJournal(machine).match(/wb_user_\w+/g))]
  await until('the first key', () => list().length >= number)
  return list()[number - 1]
}

const countReady = machine => readJournal(machine).split('Waybill is ready').length - 1
const untilReady = (machine, count) =>
  until(
    'the service is ready',
    () => countReady(machine) >= count,
    () => read(machine, 'journalctl', '-n', '60', '-o', 'cat', '--no-pager'),
  )
const readJournal = machine => read(machine, 'journalctl', '-u', 'waybill', '-o', 'cat', '--no-pager')
const show = (machine, property) =>
  read(machine, 'systemctl', 'show', 'waybill', '--value', '-p', property).trim()
const isInRange = user => user >= DYNAMIC_USERS.first && user <= DYNAMIC_USERS.last

/** From inside, because the service has no other network. */
async function ask(machine, method, key, body) {
  const script = `const [method, key, body] = process.argv.slice(1)
    const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }
    const answer = await fetch('http://127.0.0.1:8001/api/v2/flows/demo-org', { method, headers, body })
    console.log(JSON.stringify({ status: answer.status, text: await answer.text() }))`
  const given = body === undefined ? [] : [JSON.stringify(body)]
  return JSON.parse(read(machine, 'node', '--input-type=module', '-e', script, method, key, ...given))
}

const read = (machine, ...command) => {
  const { status, stdout, stderr } = machine.enter(...command)
  if (status !== 0) fail(command.slice(0, 3).join(' '), stdout + stderr)
  return stdout
}

function must(machine, title, ...command) {
  const { status, stdout, stderr } = machine.enter(...command)
  say(title, status === 0, `${stdout}${stderr}\n${readJournal(machine)}`)
}

function say(title, isRight, found) {
  if (!isRight) fail(title, found)
  console.log(`ok  ${title}`)
}
