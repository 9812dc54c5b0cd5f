// The commands of `waybill admin audit-sinks`: how far each sink is, and sending events again.
import type { Command } from 'commander'
import { findOrg } from '../api/orgs/store.ts'
import { listSinkStates, rewindCursor, type SinkState } from '../audit-sinks/store.ts'
import { findLogName } from '../log/keys-store.ts'
import { type Admin, AdminProblem } from './actor.ts'
import { type AdminParts, formatChanges, type Output, run } from './run.ts'

const PLACE = /^(?:(\d{1,6})-)?(\d{1,15})$/

export function addAuditSinkCommands(admin: Command, parts: AdminParts): void {
  const sinks = admin.command('audit-sinks').description('where audit events are sent as they happen')
  sinks
    .command('list')
    .option('--json', 'print JSON')
    .description('show how far each sink is in each organization, and since when it has accepted nothing')
    .action(options => run(parts, options, tools => list(tools, parts.listAuditSinks())))
  sinks
    .command('replay')
    .argument('<sink>', 'the name of a sink in WAYBILL_AUDIT_SINKS')
    .argument('<org>')
    .requiredOption(
      '--from <number>',
      'the number of the first event in the log of the organization, such as 0',
    )
    .option('--json', 'print JSON')
    .description('send the events of an organization again, from a number on')
    .action((sink: string, org: string, options) =>
      run(parts, options, tools => replay(tools, parts.listAuditSinks(), { sink, org, from: options.from })),
    )
}

async function list({ tx }: Admin, names: readonly string[]): Promise<Output> {
  const states = await listSinkStates(tx, names)
  const lines = states.map(describe)
  return {
    lines: lines.length > 0 ? lines : ['no sinks: WAYBILL_AUDIT_SINKS is empty'],
    json: states.map(toJson),
  }
}

/** After a loss of data, the rest of the lost log is not counted. */
function countUnsent({ epoch, head_epoch, next_seq, size }: SinkState): number {
  return size - (epoch === head_epoch ? next_seq : 0)
}

function describe(state: SinkState): string {
  const { sink, org, message, failing_since } = state
  const unsent = countUnsent(state)
  const begin = `${sink.padEnd(16)} ${org.padEnd(24)} ${unsent === 0 ? 'all sent' : `${unsent} unsent`}`
  if (failing_since === null) return begin
  return `${begin}, accepts nothing since ${failing_since.toISOString()}: ${message}`
}

function toJson(state: SinkState): Record<string, unknown> {
  const { sink, org, epoch, next_seq, failures, failing_since, message } = state
  return { sink, org, epoch, next: next_seq, unsent: countUnsent(state), failures, failing_since, message }
}

async function replay(
  admin: Admin,
  names: readonly string[],
  { sink, org, from }: { sink: string; org: string; from: string },
): Promise<Output> {
  if (!names.includes(sink)) throw new AdminProblem(`There is no sink ${sink} in WAYBILL_AUDIT_SINKS`)
  const found = await findOrg(admin.tx, org)
  if (!found) throw new AdminProblem(`There is no organization ${org}`)
  const [, epoch, number] = PLACE.exec(from) ?? []
  if (number === undefined)
    throw new AdminProblem(
      `--from ${from} is not the number of an event: write it like 0, or like 1-0 for a log before the present one`,
    )
  const { org_id } = found
  const log = await findLogName(admin.tx, org_id)
  const place = { epoch: Number(epoch ?? log?.epoch ?? 0), next_seq: Number(number) }
  if (!(await rewindCursor(admin.tx, { org_id, sink, ...place, now: admin.now })))
    throw new AdminProblem(`Nothing of ${org} has been sent to ${sink} yet`)
  admin.changes.push(`${sink} receives the events of ${org} again, from ${from} on`)
  return formatChanges(admin)
}
