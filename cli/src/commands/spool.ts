// The spool of writes that are not delivered yet.
import { resolve } from 'node:path'
import { formatRows } from '../print/output.ts'
import { formatTime } from '../print/table.ts'
import { argument, defineCommand, optionalArgument } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import type { Exit } from '../program/exit-codes.ts'
import { toggle } from '../program/flags.ts'
import { failUsage, Problem } from '../program/problem.ts'
import { type Delivery, deliverAll } from '../spool/deliver.ts'
import { listEntries, openSpool, readRefusal, removeEntry, retryEntry } from '../spool/folder.ts'
import { acquireLock } from '../spool/lock.ts'

const REFUSED = toggle('those that the service has refused')

export const spoolCommands = [
  defineCommand({
    words: ['spool', 'list'],
    summary: 'list the writes that wait for the service',
    args: [],
    flags: { refused: REFUSED },
    needs: 'nothing',
    operations: [],
    examples: ['spool list', 'spool list --refused'],
    run: async ({ flags, context }) => {
      const spool = await openSpool(context.spool_root)
      const { entries, damaged } = await listEntries(flags.refused ? spool.refused : spool.queue)
      const listed = await Promise.all(
        entries.map(async entry => ({
          ...entry,
          refusal: flags.refused ? await readRefusal(spool, entry.id) : undefined,
        })),
      )
      for (const id of damaged) context.output.say(`Damaged, and left alone: ${id}`)
      await context.output.show({
        json: listed,
        names: listed.map(({ id }) => id),
        text: formatRows(
          ['ID', 'COLLECTED', 'COMMAND', 'HOST', 'ORG', 'ABOUT', ...(flags.refused ? ['PROBLEM'] : [])],
          listed.map(({ id, collected_at, command, host, org, stream, refusal }) => [
            id,
            formatTime(collected_at),
            command,
            host,
            org,
            stream,
            ...(flags.refused ? [refusal?.message] : []),
          ]),
          'The spool is empty.',
        ),
      })
      return undefined
    },
  }),
  defineCommand({
    words: ['spool', 'flush'],
    summary: 'deliver what waits in the spool',
    args: [],
    flags: { refused: toggle('try those again that the service has refused') },
    needs: 'service',
    operations: [],
    examples: ['spool flush', 'spool flush --refused'],
    run: ({ flags, context }) => flush(context, flags.refused),
  }),
  defineCommand({
    words: ['spool', 'export'],
    summary: 'write what waits to one file, to deliver it from another machine',
    args: [argument('file', 'the file to write')],
    flags: {},
    needs: 'nothing',
    operations: [],
    examples: ['spool export evidence.wbs'],
    run: async ({ args, context }) => {
      const spool = await openSpool(context.spool_root)
      const { entries } = await listEntries(spool.queue)
      if (entries.length === 0) failUsage('The spool is empty: there is nothing to export')
      const { exportSpool } = await import('../spool/archive.ts')
      await exportSpool(spool, entries, resolve(context.system.cwd, args.file ?? ''))
      const json = { file: args.file, entries: entries.length }
      await context.output.show({ json, text: `Wrote ${entries.length} writes to ${args.file}` })
      return undefined
    },
  }),
  defineCommand({
    words: ['spool', 'import'],
    summary: 'add the writes of an exported file to the spool; each counts once',
    args: [argument('file', 'a file of spool export')],
    flags: {},
    needs: 'nothing',
    operations: [],
    examples: ['spool import evidence.wbs'],
    run: async ({ args, context }) => {
      const spool = await openSpool(context.spool_root)
      const { importSpool } = await import('../spool/archive.ts')
      const { added, known } = await importSpool(spool, resolve(context.system.cwd, args.file ?? ''))
      const text = `Added ${added} writes${known === 0 ? '' : `; ${known} were there already`}`
      await context.output.show({ json: { added, known }, text })
      return undefined
    },
  }),
  defineCommand({
    words: ['spool', 'drop'],
    summary: 'delete writes that were not delivered',
    args: [optionalArgument('id', 'one of them; without it, all')],
    flags: { refused: REFUSED },
    needs: 'nothing',
    operations: [],
    examples: ['spool drop 1763380800000-000000-0123456789abcdef --assume-yes'],
    run: async ({ args, flags, context }) => {
      if (!context.assumes_yes)
        failUsage('This deletes evidence that nobody else has', 'Add --assume-yes if that is what you want.')
      const spool = await openSpool(context.spool_root)
      const folder = flags.refused ? spool.refused : spool.queue
      const { entries, damaged } = await listEntries(folder)
      const ids = [...entries.map(({ id }) => id), ...damaged].filter(
        id => args.id === undefined || id === args.id,
      )
      if (args.id !== undefined && ids.length === 0)
        throw new Problem(`There is no ${args.id} in the spool`, { exit: 'not_found' })
      for (const id of ids) await removeEntry(spool, folder, id)
      await context.output.show({ json: { dropped: ids }, text: `Deleted ${ids.length} writes`, names: ids })
      return undefined
    },
  }),
]

async function flush(context: Context, with_refused: boolean): Promise<Exit> {
  const spool = await openSpool(context.spool_root)
  const lock = await acquireLock(spool.root, {
    patience_ms: context.timeout_ms,
    now_ms: context.system.now_ms,
  })
  if (lock === undefined)
    throw new Problem('Another waybill process is sending from this spool', { exit: 'unreachable' })
  try {
    if (with_refused)
      for (const { id } of (await listEntries(spool.refused)).entries) await retryEntry(spool, id)
    const delivery = await deliverAll(spool, {
      host: context.host,
      api: context.api,
      now_ms: context.system.now_ms(),
    })
    return await showDelivery(delivery, context)
  } finally {
    await lock.release()
  }
}

async function showDelivery(delivery: Delivery, { output, host }: Context): Promise<Exit> {
  const { delivered, refused, left, foreign, damaged, stopped_by } = delivery
  for (const id of damaged) output.say(`Damaged, and left alone: ${id}`)
  for (const [id, { message }] of refused) output.say(`Refused: ${id}: ${message}`)
  if (foreign.length > 0) output.say(`${foreign.length} writes are for other services than ${host}`)
  if (stopped_by !== undefined) output.say(`Stopped: ${stopped_by.message}`)
  const json = { delivered: [...delivered.keys()], refused: [...refused.keys()], left }
  await output.show({
    json,
    names: json.delivered,
    text: `Delivered ${json.delivered.length}, refused ${json.refused.length}, left ${left}`,
  })
  if (stopped_by !== undefined) return stopped_by.exit
  const [problem] = refused.values()
  return problem?.exit ?? 'done'
}
