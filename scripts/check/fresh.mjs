// `npm run check -- fresh`: tests the README's two commands on a bare machine: a minimal Debian with curl, Node and npm,
// without a browser, git or Python. Runs once as root and once as an ordinary user, each in its own clone.
//
// Needs root (chroot, mount) and mmdebstrap. Uses the package registries and no other network. Arguments choose the
// users (`npm run check -- fresh root`). All output goes to standard output, so that it can be saved.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fetchPackage } from '../run/package-cache.mjs'
import { root } from '../run/prepare.mjs'
import { NODE_VERSIONS, NPM_VERSION } from '../run/versions.mjs'

const ABSENT = ['chromium', 'google-chrome', 'git', 'python3']
/** The README test and all browser tests. */
const SUITE = ['readme', 'test/web', 'test/chromium']
const NAMESPACES = ['unshare', '--mount', '--propagation=private', '--pid', '--fork', '--kill-child']
const HOME_FOLDERS = { root: '/root', dev: '/home/dev' }

const users = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(HOME_FOLDERS)
if (process.platform !== 'linux' || process.getuid() !== 0)
  fail('This check needs Linux and root, because it uses chroot.')

const machine = mkdtempSync(join(tmpdir(), 'waybill-fresh-'))
process.on('exit', () => rmSync(machine, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

await createMachine()
for (const user of users) await testAs(user)
console.log(`A fresh machine passes, as ${users.join(' and ')}.`)

async function createMachine() {
  if (spawnSync('which', ['mmdebstrap']).status !== 0)
    await run('apt-get', ['install', '-y', '-qq', 'mmdebstrap'])
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable'
  // The package sources of this machine; without them, mmdebstrap uses its default mirror.
  const sources = ['debian', 'ubuntu']
    .map(name => `/etc/apt/sources.list.d/${name}.sources`)
    .filter(existsSync)
    .slice(0, 1)
  await run('mmdebstrap', [
    '--variant=minbase',
    '--include=ca-certificates,curl',
    codename,
    machine,
    ...sources.filter(existsSync).slice(0, 1),
  ])
  installNode()
  copyNetworkSettings()
  await runInside(
    'root',
    '/',
    `useradd --create-home --shell /bin/bash dev
    node --version; npm --version
    for program in ${ABSENT.join(' ')}; do ! command -v $program || exit 1; done`,
  )
}

function installNode() {
  const node = fetchPackage(`node-linux-${process.arch}`, NODE_VERSIONS[0])
  const npm = fetchPackage('npm', NPM_VERSION)
  if (node === undefined || npm === undefined)
    fail('Node and npm could not be fetched from the npm registry.')
  cpSync(join(node, 'bin', 'node'), join(machine, 'usr/local/bin/node'))
  cpSync(npm, join(machine, 'usr/local/lib/node_modules/npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(machine, 'usr/local/bin', name))
}

/** Copies name servers, certificates and npm's settings, so that the registries can be reached. */
function copyNetworkSettings() {
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'])
    cpSync(file, join(machine, file), { dereference: true })
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim()
  mkdirSync(join(machine, 'usr/local/etc'), { recursive: true })
  const settings = [`registry=${registry}`, 'cafile=/etc/ssl/certs/ca-certificates.crt']
  writeFileSync(join(machine, 'usr/local/etc/npmrc'), `${settings.join('\n')}\n`)
}

async function testAs(user) {
  const clone = `${HOME_FOLDERS[user]}/waybill`
  await run('git', ['clone', '--quiet', '--depth=1', `file://${root}`, join(machine, clone)])
  rmSync(join(machine, clone, '.git'), { recursive: true })
  await runInside('root', '/', `chown -R ${user} ${clone}`)
  await testStart(user, clone)
  await runInside(user, clone, `npm test -- ${SUITE.join(' ')}`)
}

/** `npm start` becomes ready, prints a working key, and exits on SIGTERM. */
async function testStart(user, clone) {
  await runInside(
    user,
    clone,
    `npm start > start.log 2>&1 &
     until grep -q '^  wb_user_' start.log; do kill -0 $! || { cat start.log; exit 1; }; sleep 1; done
     cat start.log
     key=$(sed -n 's/^  \\(wb_user_.*\\)$/\\1/p' start.log)
     curl -sS --fail -H "Authorization: Bearer $key" http://127.0.0.1:8001/api/v2/flows/demo-org; echo
     kill $!; wait $!`,
  )
}

/**
 * Runs a script inside the machine as the user, with an empty environment. Mounts and processes have their own
 * namespaces, so both are gone when the script ends, whatever happened.
 */
function runInside(user, folder, script) {
  console.log(`\n== ${user}: ${script.trim().split('\n')[0]}`)
  const home = `HOME=${HOME_FOLDERS[user]}`
  const env = [home, 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', 'LANG=C.UTF-8', 'CI=true']
  const enter = `mount -t proc proc ${machine}/proc && mount -t tmpfs tmpfs ${machine}/dev/shm && exec "$@"`
  const chroot = ['chroot', `--userspec=${user}:${user}`, machine, 'bash', '-euc', `cd ${folder}\n${script}`]
  return run('env', ['-i', ...env, ...NAMESPACES, 'sh', '-c', enter, 'sh', ...chroot])
}

/** Prefixes every line of output with the seconds since the command began. */
async function run(command, args) {
  const began = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', line =>
      console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(7)} ${line}`),
    )
  const [code] = await once(child, 'close')
  if (code !== 0) fail(`${command} exited with ${code}`)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
