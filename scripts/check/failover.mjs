// `npm run check -- failover`: takes a service under load through four database accidents. Its database has a primary
// with a synchronous standby: the primary's processes are killed; its machine falls silent; its address moves to the
// standby before that is promoted; the standby is lost. Prints what callers saw, and fails if an acknowledged write
// is lost or a request fails with anything but 503. Needs Debian's PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepare } from '../run/prepare.mjs'
import { startService } from '../run/service.mjs'
import {
  findPrograms,
  makeCluster,
  makeFolder,
  OWNER,
  runProgram,
  runSql,
  startServer,
} from './debian-postgres.mjs'
import { describeAnswers, startCallers, toSeconds } from './failover/callers.mjs'
import { startProxy } from './failover/proxy.mjs'

/** Load before the loss and after the recovery. */
const CALM_MS = 3_000
/** The time that a failover manager needs to be sure that the primary is gone; Patroni's default is up to 30 s. */
const DETECT_MS = 5_000
/** Longer than a request waits for the database. */
const STANDBY_LOST_MS = 15_000
const MAX_WAIT_MS = 2 * 60_000
const SECRET_KEY = 'the secret key of the service that fails over'

const programs = findPrograms()
prepare()
const folder = mkdtempSync(join(tmpdir(), 'waybill-failover-'))
const clusters = join('/var/tmp', `waybill-failover-${process.pid}`)
makeFolder(clusters)
let made = 0
let primary = await startPrimary()
const proxy = await startProxy(primary.port)
let service
try {
  service = await startService(join(folder, 'data'), {
    DATABASE_URL: `postgres://${OWNER}@127.0.0.1:${proxy.port}/postgres`,
    WAYBILL_SECRET_KEY: SECRET_KEY,
    WAYBILL_LOG_LEVEL: 'silent',
  })
  await run('the processes of the primary are killed', async standby => {
    await primary.kill()
    await sleep(DETECT_MS)
    promote(standby)
    return takePlace(standby)
  })
  await run('the machine of the primary falls silent', async standby => {
    proxy.silence()
    await sleep(DETECT_MS)
    promote(standby)
    const lost = takePlace(standby)
    await lost.kill()
  })
  await run('the address moves before the standby is promoted', async standby => {
    await primary.kill()
    takePlace(standby)
    await sleep(DETECT_MS)
    promote(standby)
  })
  await run('the standby is lost', async standby => {
    await standby.kill()
    await sleep(STANDBY_LOST_MS)
    setSynchronous(primary, false)
  })
} finally {
  await service?.stop()
  proxy.stop()
  await primary.stop()
  rmSync(clusters, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
}

async function startPrimary() {
  const data = join(clusters, String(++made))
  makeCluster(programs, data)
  return { ...(await startServer(programs, data)), data }
}

/** A copy of the primary that follows it; from now on, no write is acknowledged before the standby has it. */
async function startStandby() {
  const data = join(clusters, String(++made))
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', OWNER]
  runProgram(programs, 'pg_basebackup', [...from, '-D', data, '-R', '-X', 'stream', '--checkpoint=fast'])
  const standby = { ...(await startServer(programs, data)), data }
  setSynchronous(primary, true)
  const state = "select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')"
  await until(() => runSql(programs, primary.url, state) === '1')
  return standby
}

function setSynchronous({ url }, is_synchronous) {
  runSql(programs, url, `alter system set synchronous_standby_names = '${is_synchronous ? '*' : ''}'`)
  runSql(programs, url, 'select pg_reload_conf()')
}

/** The copy was made before the primary waited for a standby, so a promoted server waits for none. */
function promote({ data }) {
  runProgram(programs, 'pg_ctl', ['promote', '-D', data, '-w'])
}

/** Connections go to the other server from now on. Returns the previous one. */
function takePlace(standby) {
  const before = primary
  primary = standby
  proxy.switchTo(standby.port)
  return before
}

async function run(title, suffer) {
  const standby = await startStandby()
  const callers = await startCallers(service)
  await sleep(CALM_MS)
  const lost_at = performance.now()
  await suffer(standby)
  const repaired_at = performance.now()
  await until(() => callers.answers.some(({ status, began }) => status === 201 && began > repaired_at))
  await sleep(CALM_MS)
  await callers.stop()
  report(title, { callers, lost_at, repaired_at })
}

function report(title, { callers, lost_at, repaired_at }) {
  const { writes, reads } = describeAnswers(callers.answers, lost_at)
  const acknowledged = callers.listAcknowledged()
  const stored = new Set(runSql(programs, primary.url, 'select name from trails').split('\n'))
  const lost = acknowledged.filter(trail => !stored.has(trail))
  console.log(`\n${title}; repaired after ${toSeconds(repaired_at - lost_at)} s`)
  console.log(`  writes: ${JSON.stringify(writes)}`)
  console.log(`  reads:  ${JSON.stringify(reads)}`)
  console.log(`  acknowledged: ${acknowledged.length}, lost: ${lost.length}`)
  const statuses = [...Object.keys(writes.refusals), ...Object.keys(reads.refusals)]
  if (lost.length > 0 || statuses.some(status => status !== '503')) process.exitCode = 1
}

async function until(isTrue) {
  const deadline = Date.now() + MAX_WAIT_MS
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('The expected state was not reached in time')
    await sleep(50)
  }
}
