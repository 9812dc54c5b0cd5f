// A log that was reopened after a data loss: the check compares each row with the newest leaf about it, whichever log
// that leaf is in.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { readLogKey } from './evidenced-org.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { fetchInto } from './log-copy.ts'
import { loseLeaves, runLog } from './lost-leaves.ts'
import { publishLogs } from './publish-logs.ts'
import { addCleanUp, makeScratchFolder, runProgram } from './service.ts'

let app: TestApp
/** The numbers of the leaves about the flows, in the first and in the second log. */
let leaf: { before: number; changed: number }
/** What an auditor has kept of the first log: its key, and its last checkpoint. */
let kept: { vkey: string; checkpoint: string }
beforeAll(async () => {
  app = await startTestApp()
  addCleanUp(() => app.stop())
  const org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  // The first signature creates the key, and its leaf.
  expect((await app.reader.get(`/log/${ORG}/checkpoint`)).status).toBe(200)
  await write('changed', 'at first')
  const before = await write('kept', 'at first')
  const lost = await write('lost', '')
  // The backup is from now.
  await app.sql('delete from flows where name = $1', ['lost'])
  await publishLogs(app)
  kept = {
    vkey: await readLogKey(app, ORG),
    checkpoint: (await app.reader.get(`/log/${ORG}/checkpoint`)).text,
  }
  await loseLeaves(app, org_id, 1)
  await app.sql('delete from log_checkpoints where size > $1', [lost])
  expect((await runLog(app, 'reopen', ORG, '--reason', 'restored from a backup')).code).toBe(0)
  leaf = { before, changed: await write('changed', 'in the new log') }
})

async function write(name: string, description: string): Promise<number> {
  const { status, headers } = await app.admin.put(`/flows/${ORG}`, { name, description })
  expect([200, 201]).toContain(status)
  return Number(/^index=(\d+)/.exec(String(headers['waybill-log']))?.[1])
}

const findProblems = () => findLogProblems(makeOwnerDb(app.owner))

async function findAfter(change: string): Promise<string[]> {
  await app.sql('begin')
  try {
    await app.sql(change)
    return await findProblems()
  } finally {
    await app.sql('rollback')
  }
}

describe('the check of a log that was reopened', () => {
  it('accepts rows that an event of the new log has changed, and rows that none has changed since', async () => {
    expect(await findProblems()).toEqual([])
  })

  it('names the leaf of the new log if a row that it is about was changed', async () => {
    const problems = await findAfter(`update flows set description = 'forged' where name = 'changed'`)
    expect(problems).toEqual([
      expect.stringMatching(
        `^${ORG}: log 2: leaf ${leaf.changed} \\(\\w+\\) does not fit the stored flow .*: it was changed$`,
      ),
    ])
  })

  it('finds a row that was reset to its state in the old log', async () => {
    expect(await findAfter(`update flows set description = 'at first' where name = 'changed'`)).toEqual([
      expect.stringContaining(`log 2: leaf ${leaf.changed} `),
    ])
  })

  it('names the leaf of the old log if no new leaf is about the row', async () => {
    const problems = await findAfter(`update flows set description = 'forged' where name = 'kept'`)
    expect(problems).toEqual([expect.stringContaining(`${ORG}: log 1: leaf ${leaf.before} `)])
  })

  it.each([
    ['leaf', 'update log_leaves set body_hash = sha256($$$$) where epoch = 1 and seq = 1', /log 1: leaf 1 /],
    [
      'event',
      `update events set actor = 'mallory' where event_id in (select event_id from log_leaves where epoch = 1 and seq = 1)`,
      /log 1: leaf 1 /,
    ],
  ])('still checks what is left of the old log: a changed %s', async (_, change, problem) => {
    expect((await findAfter(change)).join('\n')).toMatch(problem)
  })
})

describe('an auditor who has seen the log before', () => {
  it('is told what leaf 0 of the new one shows, and that it cannot be judged', async () => {
    // The service looks again after a while.
    app.clock.advance(11_000)
    const folder = join(makeScratchFolder(), 'log')
    const { origin } = await fetchInto(app, folder)
    const seen = join(makeScratchFolder(), 'checkpoint')
    writeFileSync(seen, kept.checkpoint)
    const keys = [await readLogKey(app, ORG), kept.vkey].flatMap(vkey => ['--vkey', vkey])
    const { code, stdout } = await runProgram(['verify', folder, ...keys, '--seen', seen], {
      data_dir: makeScratchFolder(),
    })
    const before = origin.replace(/2$/, '1')
    expect(stdout).toMatch(`continues '${before}' after its checkpoint `)
    expect(stdout).toContain('The operator says why: restored from a backup')
    expect(stdout).toMatch(
      /^V5 you have seen checkpoint \d+ of .*: leaf 0 names it as the last one of that log\. /m,
    )
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([2, 'Something cannot be judged.'])
  })

  it('cannot download it over the old one, and is told how to go on', async () => {
    const folder = makeScratchFolder()
    writeFileSync(join(folder, 'checkpoint'), kept.checkpoint)
    await expect(fetchInto(app, folder)).rejects.toThrow(
      `download that into another folder, and verify it with --seen ${join(folder, 'checkpoint')}`,
    )
  })
})
