// The commands of `waybill admin org`.
import type { Command } from 'commander'
import { type Cluster, migrateCluster } from '../db/open.ts'
import type { Admin } from './actor.ts'
import { addMoveCommands } from './move-commands.ts'
import { restoreOrg } from './people.ts'
import { formatRemovals, purgeOrgs, type RemovedOrg } from './purge.ts'
import { applyTyped, changeQuotas, formatQuotas, type TypedQuotas } from './quotas.ts'
import { type AdminParts, formatChanges, type Output, print, run, withCluster, withOwner } from './run.ts'

export function addOrgCommands(admin: Command, parts: AdminParts): void {
  const org = admin.command('org').description('organizations')
  org
    .command('restore')
    .argument('<name>')
    .option('--json', 'print JSON')
    .description("cancel an organization's scheduled deletion")
    .action((name: string, options) => run(parts, options, tools => runRestore(name, tools)))
  org
    .command('purge')
    .argument('[name]', 'purge only this organization')
    .option('--json', 'print JSON')
    .description('permanently remove deleted organizations that can no longer be restored')
    .action((name: string | undefined, options) =>
      withCluster(parts, cluster => purge(parts, options, cluster, name)),
    )
  org
    .command('quota')
    .argument('<name>')
    .option(
      '--requests-per-second <number>',
      'requests of all keys together; off for no quota, default for the server-wide setting',
    )
    .option('--evidence-bytes <number>', 'bytes of stored evidence; or off, default')
    .option('--jq-seconds-per-hour <number>', 'processor time of jq programs and schemas; or off, default')
    .option('--json', 'print JSON')
    .description('show or change the quotas of one organization')
    .action((name: string, options) => run(parts, options, admin => runQuota(name, options, admin)))
  addMoveCommands(org, parts)
}

interface QuotaOptions {
  requestsPerSecond?: string
  evidenceBytes?: string
  jqSecondsPerHour?: string
}

async function runQuota(name: string, options: QuotaOptions, admin: Admin): Promise<Output> {
  const { requestsPerSecond, evidenceBytes, jqSecondsPerHour } = options
  const typed: TypedQuotas = {
    ...(requestsPerSecond === undefined ? {} : { requests_per_second: requestsPerSecond }),
    ...(evidenceBytes === undefined ? {} : { evidence_bytes: evidenceBytes }),
    ...(jqSecondsPerHour === undefined ? {} : { jq_seconds_per_hour: jqSecondsPerHour }),
  }
  const own = await changeQuotas(admin, name, before => applyTyped(before, typed))
  return { lines: [...admin.changes, ...formatQuotas(own)], json: { changes: admin.changes, quotas: own } }
}

async function runRestore(name: string, admin: Admin): Promise<Output> {
  await restoreOrg(admin, name)
  return formatChanges(admin)
}

async function purge(
  parts: AdminParts,
  options: { json?: boolean },
  cluster: Cluster,
  name: string | undefined,
): Promise<void> {
  await migrateCluster(cluster)
  const removed: RemovedOrg[] = []
  const printRemoved = () => print(parts, options, { lines: formatRemovals(removed), json: { removed } })
  try {
    await withOwner(cluster, async owner => {
      const clock = await parts.openClock(owner)
      for await (const org of purgeOrgs(owner, clock.now(), name)) removed.push(org)
    })
  } catch (error) {
    // Organizations removed before the failure stay removed, so report them.
    if (removed.length > 0) printRemoved()
    throw error
  }
  printRemoved()
}
