// The commands of `waybill admin clock`: showing how the time differs from the database's clock, and accepting that
// clock.
import type { Command } from 'commander'
import type pg from 'pg'
import { resetClock } from '../db/database-clock.ts'
import { migrateCluster } from '../db/open.ts'
import { makeOwnerDb } from '../db/owner.ts'
import { type AdminParts, type Output, print, withCluster, withOwner } from './run.ts'

const MS_PER_SECOND = 1000

export function addClockCommands(admin: Command, parts: AdminParts): void {
  const clock = admin.command('clock').description('the time, which follows the clock of the database')
  const add = (name: string, description: string, work: (owner: pg.Client) => Promise<Output>) =>
    clock
      .command(name)
      .option('--json', 'print JSON')
      .description(description)
      .action((options: { json?: boolean }) =>
        withCluster(parts, async cluster => {
          await migrateCluster(cluster)
          print(parts, options, await withOwner(cluster, work))
        }),
      )

  add('show', 'show the time and how far it is ahead of the clock of the database', owner =>
    show(parts, owner),
  )
  add(
    'reset',
    'use the clock of the database although it is behind; what has expired since then is valid again',
    reset,
  )
}

async function show({ openClock }: AdminParts, owner: pg.Client): Promise<Output> {
  const clock = await openClock(owner)
  const ahead_s = Math.round(clock.getAheadMs() / MS_PER_SECOND)
  const time = clock.now().toISOString()
  return {
    lines: [`time ${time}, ${ahead_s} s ahead of the clock of the database`],
    json: { time, ahead_s },
  }
}

async function reset(owner: pg.Client): Promise<Output> {
  const time = (await resetClock(makeOwnerDb(owner).run)).toISOString()
  return { lines: [`the time is that of the database, ${time}`], json: { time } }
}
