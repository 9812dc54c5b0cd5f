// A separate systemd that sees nothing of this machine but its programs (boot.sh). Needs root.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fail } from '../tools.mjs'

const ATTEMPTS = 120
const NAMESPACES = ['--pid', '--fork', '--mount', '--uts', '--ipc', '--net', '--cgroup', '--kill-child']
const IN_GROUP = 'echo $$ > "$0/cgroup.procs" && exec unshare "$@"'

/** `local`: the content of /usr/local; `units`: a folder with unit files; `root`: an empty folder. */
export async function startMachine({ root, local, units }) {
  const group = join(findGroups(), `waybill-check-${process.pid}`)
  mkdirSync(group)
  const boot = join(import.meta.dirname, 'boot.sh')
  const args = ['-c', IN_GROUP, group, ...NAMESPACES, 'sh', boot, root, local, units]
  const unshare = spawn('sh', args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const end = () => {
    spawnSync('kill', ['-9', '--', `-${unshare.pid}`])
    for (let attempt = 0; attempt < ATTEMPTS && !removeGroups(group); attempt++) spawnSync('sleep', ['0.1'])
  }
  // A failing check ends the program.
  process.once('exit', end)
  const enter = (...command) => {
    const target = ['-t', findChild(unshare.pid), '-a', '--', ...command]
    return spawnSync('nsenter', target, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  }
  await until('systemd', () => enter('systemctl', 'is-system-running').stdout?.trim() === 'running')
  return { enter, stop: () => process.off('exit', end) && end() }
}

/** The place where control groups can be created, even beside the older kind of groups. */
function findGroups() {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const [, path] = mounts.find(line => line.split(' ')[2] === 'cgroup2')?.split(' ') ?? []
  if (path === undefined) fail('systemd', 'this machine has no cgroup2 file system')
  return path
}

/** systemd is the only child of `unshare`. */
const findChild = pid => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim() || String(pid)

function removeGroups(group) {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroups(join(group, entry.name))
    rmdirSync(group)
    return true
  } catch (error) {
    if (error.code !== 'EBUSY') throw error
    return false
  }
}

/** `explain` describes what was found instead. */
export async function until(title, isDone, explain = () => '') {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await isDone()) return
    await wait(500)
  }
  fail(title, `did not happen in time\n${explain()}`)
}
