// The faults of a soak. Each is switched on, lasts a while under load, and is switched off again.
import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import net from 'node:net'
import pg from 'pg'
import { migrate } from '../../server/src/db/migrate.ts'
import { getShippedMigrations, type Migration, parseMigration } from '../../server/src/db/migration-files.ts'
import { end, type Fleet, type Member } from './fleet.ts'

const SLOW_CLIENTS = 20

export interface Fault {
  name: string
  begin(fleet: Fleet): Promise<void>
  end(fleet: Fleet): Promise<void>
}

const doNothing = async () => undefined
const isDown = ({ process: { exitCode, signalCode } }: Member) => exitCode !== null || signalCode !== null

/** The members take turns. */
function makeKill(role: 'serving' | 'working', signal: NodeJS.Signals, name: string): Fault {
  let turn = 0
  return {
    name,
    begin: async fleet => {
      const member = fleet[role][turn++ % fleet[role].length]
      if (member) await end(member, signal)
    },
    end: async fleet => {
      for (const member of fleet[role]) if (isDown(member)) await member.start()
    },
  }
}

function setFileSizeLimit(fleet: Fleet, soft: string): void {
  for (const { process: child } of fleet.serving) {
    execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${soft}:`])
  }
}

function makeSlowClients(): Fault {
  let sockets: net.Socket[] = []
  return {
    name: `${SLOW_CLIENTS} slow clients`,
    begin: async fleet => {
      const head = `PUT /api/v2/trails/demo-org/soak HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${fleet.key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`
      sockets = Array.from({ length: SLOW_CLIENTS }, (_, i) => {
        const socket = net.connect(fleet.serving[i % 2]?.port ?? 0, '127.0.0.1')
        socket.on('error', () => undefined).resume()
        socket.write(head)
        return socket
      })
    },
    end: async () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

const HANGING: Fault = {
  name: 'the receiver hangs',
  begin: async ({ receiver }) => {
    receiver.answer = () => new Promise(() => undefined)
  },
  end: async ({ receiver }) => {
    receiver.answer = () => ({ status: 200 })
  },
}

const TERMINATED: Fault = {
  name: 'pg_terminate_backend of every session',
  begin: async ({ database }) => {
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
  },
  end: doNothing,
}

const RESTARTED: Fault = {
  name: 'PostgreSQL stopped at once, and restarted',
  begin: async ({ database }) => {
    const pid = database.getPrimary().pid()
    if (pid !== undefined) process.kill(pid, 'SIGQUIT')
  },
  end: doNothing,
}

const FAILED_OVER: Fault = {
  name: 'the primary is lost, and its standby takes over',
  begin: async ({ database }) => database.failOver(),
  end: doNothing,
}

/**
 * The schema of the next version comes first. Then every process restarts in turn: until all are new, processes of
 * the old version start with the new schema.
 */
function makeUpgrade(): Fault {
  const planted: Migration[] = []
  return {
    name: 'a rolling upgrade',
    begin: async ({ database }) => {
      const column = `planted_${planted.length}`
      const sql = `-- min-compatible: 0100
alter table trails add ${column} int; alter table environments add ${column} int;`
      planted.push(parseMigration(`${9001 + planted.length}_planted.sql`, sql))
      const owner = new pg.Client(database.getPrimary().address)
      await owner.connect()
      try {
        await migrate(owner, { shipped: [...getShippedMigrations(), ...planted] })
      } finally {
        await owner.end()
      }
    },
    end: async ({ serving, working }) => {
      for (const member of [...serving, ...working]) {
        await end(member, 'SIGTERM')
        await member.start()
      }
    },
  }
}

const AWAY: Fault = {
  name: 'the evidence folder is away',
  begin: async ({ evidence_dir }) => renameSync(evidence_dir, `${evidence_dir}.away`),
  end: async ({ evidence_dir }) => renameSync(`${evidence_dir}.away`, evidence_dir),
}

/** As on a full disk, every file write of the serving processes fails. */
const FULL: Fault = {
  name: 'the evidence disk is full',
  begin: async fleet => setFileSizeLimit(fleet, '0'),
  end: async fleet => setFileSizeLimit(fleet, 'unlimited'),
}

/** Switched off in the same order, so that the processes restart while the other faults are still on. */
function combine(name: string, faults: readonly Fault[]): Fault {
  const inTurn = (step: 'begin' | 'end') => async (fleet: Fleet) => {
    for (const fault of faults) await fault[step](fleet)
  }
  return { name, begin: inTurn('begin'), end: inTurn('end') }
}

export function makeFaults(): Fault[] {
  const full = hasPrlimit() ? [FULL] : []
  const upgrade = makeUpgrade()
  return [
    makeKill('serving', 'SIGKILL', 'kill -9 of a serving process'),
    ...full,
    HANGING,
    RESTARTED,
    makeKill('working', 'SIGKILL', 'kill -9 of a worker'),
    TERMINATED,
    AWAY,
    makeSlowClients(),
    makeKill('serving', 'SIGTERM', 'restart of a serving process'),
    FAILED_OVER,
    upgrade,
    combine('an upgrade, a failover, a full disk and a hanging receiver', [
      upgrade,
      FAILED_OVER,
      ...full,
      HANGING,
    ]),
  ]
}

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'])
    return true
  } catch {
    // Only Linux has it.
    return false
  }
}
