// One packet, one transaction: the scope applies to that statement only, and a response means that it is committed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORG, startTestApp, type TestApp } from '../../test/harness.ts'
import { makeStatementLog } from '../../test/statement-log.ts'
import { makeStep } from './database.ts'
import { count, defineStatement, int, text, uuid } from './statement.ts'

const MORE_THAN_POOL_SIZE = 20

const scopeSeen = defineStatement(
  'test.scope_seen',
  {},
  { org: text, key: text, worker: text },
  `select coalesce(current_setting('app.org', true), '') as org, coalesce(current_setting('app.key', true), '') as key,
     coalesce(current_setting('app.worker', true), '') as worker`,
)
const flowsSeen = defineStatement(
  'test.flows_seen',
  {},
  { seen: count },
  'select count(*) as seen from flows',
)
const addLate = defineStatement('test.add_late', { id: uuid }, {}, 'insert into late values (:id), (:id)')
const addLateToo = defineStatement(
  'test.add_late_too',
  { id: uuid },
  {},
  'insert into late_too values (:id), (:id)',
)
const readNothing = defineStatement('test.read_nothing', {}, {}, 'select from no_such_table')
const readLater = defineStatement(
  'test.read_later',
  {},
  { seen: count },
  'select count(*) as seen from later',
)

const readShifting = defineStatement('test.read_shifting', {}, { value: text }, 'select value from shifting')

let app: TestApp
let org_id: string
beforeAll(async () => {
  app = await startTestApp()
  org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  await app.member.put(`/flows/${ORG}`, { name: 'seen', description: '' })
})
afterAll(() => app.stop())

describe('a statement sent once', () => {
  it('sees its scope, and the next one on any connection does not', async () => {
    for (let turn = 0; turn < MORE_THAN_POOL_SIZE; turn++) {
      const both = await Promise.all([
        app.db.runOnce({ org_id, worker: true }, scopeSeen, {}),
        app.db.runOnce({ key_hash: 'ab' }, scopeSeen, {}),
      ])
      expect(both).toEqual([[{ org: org_id, key: '', worker: 'a' }], [{ org: '', key: 'ab', worker: '' }]])
      expect(await app.db.runOnce({}, scopeSeen, {})).toEqual([{ org: '', key: '', worker: '' }])
    }
  })

  it('is subject to row-level security', async () => {
    expect(await app.db.runOnce({ org_id }, flowsSeen, {})).toEqual([{ seen: 1 }])
    expect(await app.db.runOnce({}, flowsSeen, {})).toEqual([{ seen: 0 }])
  })

  it('fails when only the commit fails, and stores nothing', async () => {
    await app.sql('create table late (id uuid unique deferrable initially deferred)')
    await app.sql('grant insert on late to waybill_app')
    await expect(app.db.runOnce({ org_id }, addLate, { id: org_id })).rejects.toMatchObject({ code: '23505' })
    expect(await app.sql('select count(*)::int as kept from late')).toEqual([{ kept: 0 }])
    expect(await app.db.runOnce({ org_id }, flowsSeen, {})).toEqual([{ seen: 1 }])
  })

  it('is prepared again on a connection where preparing it failed before', async () => {
    for (let turn = 0; turn < 3; turn++) {
      await expect(app.db.runOnce({ org_id }, readLater, {})).rejects.toMatchObject({ code: '42P01' })
    }
    await app.sql('create table later ()')
    await app.sql('grant select on later to waybill_app')
    for (let turn = 0; turn < MORE_THAN_POOL_SIZE; turn++) {
      expect(await app.db.runOnce({ org_id }, readLater, {})).toEqual([{ seen: 0 }])
    }
  })
})

describe('a statement whose columns change after it was prepared', () => {
  it('fails once per connection, and is then prepared again', async () => {
    await app.sql('create table shifting (value integer)')
    await app.sql('grant select on shifting to waybill_app')
    await app.sql('insert into shifting values (7)')
    const readAll = () =>
      Promise.allSettled(
        Array.from({ length: MORE_THAN_POOL_SIZE }, () => app.db.runOnce({ org_id }, readShifting, {})),
      )
    await readAll()
    await app.sql('alter table shifting alter value type text')
    const failed = (await readAll()).filter(({ status }) => status === 'rejected')
    expect(failed.length).toBeGreaterThan(0)
    for (const result of failed) expect(result).toMatchObject({ reason: { code: '0A000' } })
    for (const result of await readAll()) expect(result).toMatchObject({ value: [{ value: '7' }] })
  })
})

describe('a transaction', () => {
  it('fails when only the commit fails, and stores nothing', async () => {
    await app.sql('create table late_too (id uuid unique deferrable initially deferred)')
    await app.sql('grant insert on late_too to waybill_app')
    const committed = app.db.withTransaction({ org_id }, async tx => {
      await tx.run(addLateToo, { id: org_id })
      return 'stored'
    })
    await expect(committed).rejects.toMatchObject({ code: '23505' })
    expect(await app.sql('select count(*)::int as kept from late_too')).toEqual([{ kept: 0 }])
  })

  it('fails when one of its statements failed, even if the caller ignored the error', async () => {
    const committed = app.db.withTransaction({ org_id }, async tx => {
      await tx.run(readNothing, {}).catch(() => undefined)
      return 'stored'
    })
    await expect(committed).rejects.toThrow('the transaction was committed')
    expect(await app.db.runOnce({ org_id }, flowsSeen, {})).toEqual([{ seen: 1 }])
  })

  it('reports the first error, not the refusal of the statements that follow it', async () => {
    const failed = app.db.withTransaction({ org_id }, async tx => {
      await tx.run(readNothing, {}).catch(() => undefined)
      await tx.run(flowsSeen, {})
    })
    await expect(failed).rejects.toMatchObject({ code: '42P01' })
  })

  it('does not wait for an empty list of steps', async () => {
    const { waits, during } = makeStatementLog()
    const work = () =>
      app.db.withTransaction({ org_id }, async tx => [await tx.runSteps([]), await tx.run(flowsSeen, {})])
    expect(await during(work)).toEqual([[], [{ seen: 1 }]])
    expect(waits).toEqual(['test.flows_seen', 'commit'])
  })

  it('sends nothing when its work sends nothing', async () => {
    const { statements, waits, during } = makeStatementLog()
    expect(await during(() => app.db.withTransaction({ org_id }, async () => 'done'))).toBe('done')
    expect([statements, waits]).toEqual([[], []])
  })
})

const saveWord = defineStatement(
  'test.save_word',
  { word: text },
  { word: text },
  'insert into words values (:word) returning word',
)
const readWords = defineStatement('test.recall', {}, { words: count }, 'select count(*) as words from words')

const readMany = defineStatement(
  'test.read_many',
  { count: int },
  { number: int },
  'select number from generate_series(1, :count::int) as number',
)
const touchWords = defineStatement(
  'test.touch_words',
  {},
  {},
  'insert into words select word from words where false',
)
const readNoColumns = defineStatement('test.read_no_columns', {}, {}, 'select')

describe('a batch', () => {
  beforeAll(async () => {
    await app.sql('create table words (word text primary key)')
    await app.sql('grant select, insert on words to waybill_app')
  })

  it('returns the rows of each statement, which sees the changes of those before it, in one wait', async () => {
    const send = (word: string) =>
      app.db.runBatch({ org_id }, [
        makeStep(readWords, {}),
        makeStep(saveWord, { word }),
        makeStep(scopeSeen, {}),
        makeStep(readWords, {}),
      ])
    await send('first')
    const { waits, during } = makeStatementLog()
    const [seen_before, saved, scope, seen_after] = await during(() => send('second'))
    expect(waits).toHaveLength(1)
    expect([seen_before, saved, seen_after]).toEqual([[{ words: 1 }], [{ word: 'second' }], [{ words: 2 }]])
    expect(scope).toEqual([{ org: org_id, key: '', worker: '' }])
  })

  it('stores everything or nothing, and the connection stays usable', async () => {
    const words = ['third', 'first', 'fourth'].map(word => makeStep(saveWord, { word }))
    await expect(app.db.runBatch({ org_id }, words)).rejects.toMatchObject({ code: '23505' })
    expect(await app.db.runOnce({ org_id }, readWords, {})).toEqual([{ words: 2 }])
    expect(await app.db.runBatch({ org_id }, [makeStep(readWords, {}), makeStep(readWords, {})])).toEqual([
      [{ words: 2 }],
      [{ words: 2 }],
    ])
  })

  it('keeps the rows of statements apart that return none, one and many', async () => {
    for (let turn = 0; turn < MORE_THAN_POOL_SIZE; turn++) {
      const rows = await app.db.runBatch({ org_id }, [
        makeStep(readMany, { count: 0 }),
        makeStep(touchWords, {}),
        makeStep(readMany, { count: 2 }),
        makeStep(readNoColumns, {}),
        makeStep(readWords, {}),
      ])
      expect(rows).toEqual([[], [], [{ number: 1 }, { number: 2 }], [{}], [{ words: 2 }]])
    }
  })
})
