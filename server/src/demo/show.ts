// `--demo` and `waybill demo`: creates the demo organization unless it exists, and prints progress.
import { AdminProblem } from '../admin/actor.ts'
import type { AppParts } from '../app.ts'
import { type Cluster, joinCluster, migrateCluster } from '../db/open.ts'
import { makeOwnerDb } from '../db/owner.ts'
import { makeLog } from '../lib/log.ts'
import { systemSecrets } from '../lib/secrets.ts'
import { openParts, undoAll } from '../parts.ts'
import type { Config } from '../settings/config.ts'
import { DEMO_ORG } from './company.ts'
import { fillDemo } from './fill.ts'
import { findFirstUser, findOrgId } from './store.ts'

const PROGRESS_EVERY = 500

/** Runs as a separate program, whether or not the service is running. */
export async function runDemo(config: Config, version: string, print: (text: string) => void): Promise<void> {
  const log = makeLog(config.log_level)
  const undo: (() => Promise<void>)[] = []
  try {
    const cluster = await joinCluster({
      ...config,
      createPassword: systemSecrets.createPassword,
      log: line => log.warn(line),
    })
    undo.push(cluster.stop)
    await migrateCluster(cluster)
    await showDemo(cluster, await openParts({ config, version, cluster, log, undo }), print)
  } finally {
    await undoAll(undo)
  }
}

export async function showDemo(
  cluster: Cluster,
  parts: AppParts,
  print: (text: string) => void,
): Promise<void> {
  const owner = await cluster.connectOwner()
  try {
    if ((await findOrgId(makeOwnerDb(owner), DEMO_ORG)) !== undefined) {
      print(`The demo organization ${DEMO_ORG} already exists`)
      return
    }
    const admin_name = await findFirstUser(makeOwnerDb(owner))
    if (admin_name === undefined)
      throw new AdminProblem('The database has no users yet: start the service once before creating the demo')
    print(
      `Creating the demo organization ${DEMO_ORG} with half a year of data; this takes about half a minute`,
    )
    const onProgress = (done: number, of: number) => {
      if (done % PROGRESS_EVERY === 0) print(`  ${done} of ${of}`)
    }
    await fillDemo({ ...parts, owner, secrets: systemSecrets, admin_name, onProgress })
    print(`The demo is ready: open ${parts.base_url}/${DEMO_ORG} as ${admin_name}`)
  } finally {
    await owner.end()
  }
}
