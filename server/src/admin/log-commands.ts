// The commands of `waybill admin log`: the keys of logs, a new log after a loss of data, and erasure.
import { parseVerifierKey } from '@waybill/transparency-log'
import type { Command } from 'commander'
import { findOrg } from '../api/orgs/store.ts'
import { ERASURE_REASONS } from '../domain/log/erasure.ts'
import type { EvidenceStore } from '../evidence/evidence.ts'
import { AppError } from '../lib/errors.ts'
import type { Sealer } from '../lib/sealer.ts'
import { eraseBody } from '../log/erase.ts'
import { restartImport } from '../log/history-store.ts'
import { addKey, isActive, type LogName, retireKey } from '../log/keys.ts'
import { findLogName, listLogKeys } from '../log/keys-store.ts'
import { reopenLog } from '../log/reopen.ts'
import { ADMIN_ACTOR, type Admin, AdminProblem, recordChange, refuseFrozen } from './actor.ts'
import { type AdminParts, formatChanges, type Output, run } from './run.ts'

/** /ready and the log name organizations by their ids. */
const ORG_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function addLogCommands(admin: Command, parts: AdminParts): void {
  const log = admin.command('log').description('the logs of organizations, which prove what was recorded')
  log
    .command('rotate-key')
    .argument('<org>')
    .option('--json', 'print JSON')
    .description('make a new key for the log; both keys sign for 30 days, then the old one is retired')
    .action((org: string, options) =>
      run(parts, options, async tools => rotateKey(tools, org, await parts.openSealer())),
    )
  log
    .command('retire-key')
    .argument('<org>')
    .argument('<key>', 'the eight digits of the key, as in GET /log/{org}/keys')
    .option('--json', 'print JSON')
    .description('stop signing with a key at once, such as one that was stolen')
    .action((org: string, key: string, options) => run(parts, options, tools => retire(tools, org, key)))
  log
    .command('reopen')
    .argument('<org>')
    .requiredOption('--reason <text>', 'what happened, for the first leaf of the new log')
    .option('--json', 'print JSON')
    .description(
      'open a new log after a loss of data; its first leaf names the last checkpoint of the old one',
    )
    .action((org: string, options) =>
      run(parts, options, async tools => reopen(tools, org, options.reason, await parts.openEvidence())),
    )
  log
    .command('import-history')
    .argument('<org>')
    .option('--json', 'print JSON')
    .description(
      'look again for events without a leaf, such as events of an attached month; the worker imports them',
    )
    .action((org: string, options) => run(parts, options, tools => importAgain(tools, org)))
  log
    .command('erase')
    .argument('<org>')
    .argument('<index>', 'the number of the leaf whose body is erased')
    .requiredOption('--reason <class>', ERASURE_REASONS.join(', '))
    .option('--json', 'print JSON')
    .description('erase what an event says for good; its leaf stays, and another one says that it was erased')
    .action((org: string, index: string, options) =>
      run(parts, options, tools => erase(tools, org, index, options.reason)),
    )
}

async function rotateKey(admin: Admin, org: string, sealer: Sealer): Promise<Output> {
  const { tx, now } = admin
  const log = await requireLog(admin, org)
  const id = await addKey(log, {
    tx,
    sealer,
    now,
    record: (kind, data) => recordChange(admin, log.org_id, kind, data),
  })
  if (id === undefined)
    throw new AdminProblem(`Another process has just added a key to the log of ${org}; try again`)
  admin.changes.push(`added the key ${id} to the log of ${org}`)
  return formatChanges(admin)
}

async function retire(admin: Admin, org: string, id: string): Promise<Output> {
  const { tx, now } = admin
  const log = await requireLog(admin, org)
  const keys = (await listLogKeys(tx, log.org_id, log.epoch)).filter(isActive)
  const key = keys.find(({ vkey }) => parseVerifierKey(vkey).id === id)
  if (!key) throw new AdminProblem(`The log of ${org} has no key ${id} that signs`)
  if (keys.length === 1)
    throw new AdminProblem(
      `${id} is the only key of the log of ${org}; run: waybill admin log rotate-key ${org}`,
    )
  await retireKey(log, key, {
    tx,
    now,
    record: (kind, data) => recordChange(admin, log.org_id, kind, data),
  })
  admin.changes.push(`retired the key ${id} of the log of ${org}`)
  return formatChanges(admin)
}

async function reopen(admin: Admin, org: string, reason: string, evidence: EvidenceStore): Promise<Output> {
  const { tx } = admin
  const log = await requireLog(admin, org)
  const { origin, data } = await reopenLog(tx, evidence.anchors, log.org_id, reason)
  await recordChange(admin, log.org_id, 'log_reopened', data)
  admin.changes.push(`opened the log ${origin}`)
  return formatChanges(admin)
}

async function erase(admin: Admin, org: string, index: string, reason: string): Promise<Output> {
  const { tx, ids, now } = admin
  const known = ERASURE_REASONS.find(one => one === reason)
  if (!known) throw new AdminProblem(`--reason must be one of ${ERASURE_REASONS.join(', ')}`)
  if (!/^\d{1,15}$/.test(index)) throw new AdminProblem(`${index} is not the number of a leaf`)
  const { org_id, epoch } = await requireLog(admin, org)
  await refuseFrozen(tx, org_id)
  const context = { org: { org_id }, caller: { name: ADMIN_ACTOR }, now, request_id: 'admin' }
  const place = { epoch, index: Number(index) }
  const { erased } = await eraseBody(tx, place, { context, ids, reason: known }).catch(error => {
    throw error instanceof AppError ? new AdminProblem(error.message) : error
  })
  if (erased > 0) admin.changes.push(`erased the body of leaf ${index} of the log of ${org}`)
  return formatChanges(admin)
}

async function importAgain(admin: Admin, org: string): Promise<Output> {
  const { org_id } = await requireLog(admin, org)
  await refuseFrozen(admin.tx, org_id)
  if (await restartImport(admin.tx, org_id))
    admin.changes.push(`the events of ${org} will be looked at again`)
  return formatChanges(admin)
}

async function requireLog({ tx }: Admin, org: string): Promise<LogName> {
  const org_id = (await findOrg(tx, org))?.org_id ?? (ORG_ID.test(org) ? org : undefined)
  if (org_id === undefined) throw new AdminProblem(`There is no organization ${org}`)
  const log = await findLogName(tx, org_id)
  if (!log) throw new AdminProblem(`The organization ${org} has no log yet: its first event opens it`)
  return { org_id, ...log }
}
