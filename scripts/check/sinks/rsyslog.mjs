// `npm run check -- sinks rsyslog`: a real rsyslog receives the audit events of a new service over TLS. It is stopped
// and restarted while events are recorded, and must have all of them at the end. Needs Debian's packages rsyslog,
// rsyslog-openssl and openssl.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort, ORG, startService } from '../../run/service.mjs'
import { createFlows } from './create-flows.mjs'

const FLOWS = 100
const MAX_WAIT_MS = 5 * 60_000

for (const [program, flag] of [
  ['rsyslogd', '-v'],
  ['openssl', 'version'],
]) {
  if (spawnSync(program, [flag]).error) {
    console.error(`${program} is not installed: apt-get install rsyslog rsyslog-openssl openssl`)
    process.exit(1)
  }
}
const folder = mkdtempSync(join(tmpdir(), 'waybill-sinks-'))
const received = join(folder, 'received.log')
makeCertificates()
const port = await findFreePort()
let rsyslog = startRsyslog()
const service = await startService(join(folder, 'data'), {
  NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
  WAYBILL_AUDIT_SINKS: JSON.stringify([
    { name: 'rsyslog', kind: 'syslog', url: `tls://127.0.0.1:${port}`, format: 'native' },
  ]),
})
try {
  await createFlows(service, 0, FLOWS / 4)
  await waitFor(FLOWS / 4)
  rsyslog.kill('SIGTERM')
  await once(rsyslog, 'exit')
  await createFlows(service, FLOWS / 4, FLOWS)
  rsyslog = startRsyslog()
  await waitFor(FLOWS)
  const numbers = readEvents().map(({ log }) => log.number)
  const missing = Array.from({ length: Math.max(...numbers) }, (_, i) => i).filter(i => !numbers.includes(i))
  const sorted = numbers.every((number, i) => i === 0 || number > numbers[i - 1])
  console.log(
    `rsyslog has ${numbers.length} events, in order: ${sorted}, missing: ${missing.join(', ') || 'none'}`,
  )
  if (missing.length > 0 || !sorted) process.exitCode = 1
} finally {
  rsyslog.kill('SIGTERM')
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}

function makeCertificates() {
  const run = (...args) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`)
  }
  const key = name => ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`]
  run('req', '-x509', ...key('ca'), '-out', 'ca.pem', '-days', '2', '-subj', '/CN=authority')
  run('req', ...key('server'), '-out', 'server.csr', '-subj', '/CN=127.0.0.1')
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n')
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  run('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem')
}

function startRsyslog() {
  const configuration = join(folder, 'rsyslog.conf')
  writeFileSync(
    configuration,
    `global(workDirectory="${folder}" maxMessageSize="64k" defaultNetstreamDriver="ossl"
       defaultNetstreamDriverCAFile="${join(folder, 'ca.pem')}"
       defaultNetstreamDriverCertFile="${join(folder, 'server.pem')}"
       defaultNetstreamDriverKeyFile="${join(folder, 'server.key')}")
     module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon")
     input(type="imtcp" address="127.0.0.1" port="${port}")
     template(name="line" type="string" string="%msg%\\n")
     action(type="omfile" file="${received}" template="line")
    `,
  )
  const pid = join(folder, 'rsyslog.pid')
  return spawn('rsyslogd', ['-n', '-f', configuration, '-i', pid], { stdio: 'inherit' })
}

function readEvents() {
  if (!existsSync(received)) return []
  const lines = readFileSync(received, 'utf8').split('\n').filter(Boolean)
  return lines.map(line => JSON.parse(line)).filter(({ org }) => org === ORG)
}

async function waitFor(flows) {
  for (let waited_ms = 0; waited_ms < MAX_WAIT_MS; waited_ms += 500) {
    if (readEvents().filter(({ kind }) => kind === 'flow_created').length >= flows) return
    await sleep(500)
  }
  throw new Error(`rsyslog has not received ${flows} flows`)
}
