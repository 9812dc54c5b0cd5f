// `waybill verify receipts` against a service whose operator is honest, and against one who is not.
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Db } from '../../server/src/db/database.ts'
import { makeOwnerDb } from '../../server/src/db/owner.ts'
import type { EventKind } from '../../server/src/events/kinds.ts'
import { recordEvents } from '../../server/src/events/record.ts'
import { makeIds } from '../../server/src/lib/ids.ts'
import { makeSealer } from '../../server/src/lib/sealer.ts'
import { addKey } from '../../server/src/log/keys.ts'
import { reopenLog } from '../../server/src/log/reopen.ts'
import { SECRET_KEY, startTestApp, type TestApp } from '../../server/test/harness.ts'
import { loseLeaves } from '../../server/test/lost-leaves.ts'
import { publishLogs } from '../../server/test/publish-logs.ts'
import type { Receipt } from '../src/receipts/receipt.ts'
import { readReceipts } from './read-receipts.ts'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'admin', settings: { WAYBILL_ORGS_PER_PERSON: 'off' } })
const started: TestApp[] = []
afterEach(async () => {
  for (const app of started.splice(0)) await app.stop()
})

let number = 0

/** An organization of its own, with a log and a file of receipts of its own. */
async function openOrg() {
  const { app, cli } = served
  const org = `org-${++number}`
  const path = join(cli.folder, `${org}.jsonl`)
  expect((await app.admin.post('/organizations', { name: org })).status).toBe(201)
  const [row] = await app.sql('select org_id from orgs where name = $1', [org])
  const org_id = String(row?.org_id)
  const own = { WAYBILL_ORG: org, WAYBILL_RECEIPTS: path }
  const run = (line: string, env: Record<string, string> = {}) => cli.run(line, { env: { ...own, ...env } })
  const write = async (...names: string[]) => {
    for (const name of names)
      expect(await run(`create environment ${name} --type server`), name).toMatchObject({
        code: 0,
        stderr: '',
      })
  }
  return {
    org,
    org_id,
    path,
    run,
    write,
    list: () => readReceipts(path).kept.map(({ receipt }) => receipt),
    rewrite: (edit: (receipts: Receipt[]) => Receipt[]) => {
      const edited = edit(readReceipts(path).kept.map(({ receipt }) => receipt))
      writeFileSync(path, edited.map(receipt => `${JSON.stringify(receipt)}\n`).join(''))
    },
    verify: async (more = '', env: Record<string, string> = {}) => {
      const { code, stdout } = await run(`verify receipts ${more}`, env)
      return { code, lines: stdout.trimEnd().split('\n') }
    },
  }
}

type Opened = Awaited<ReturnType<typeof openOrg>>

/** A new process of the service, which knows only what is stored. */
async function restart(): Promise<Record<string, string>> {
  const app = await startTestApp({ beside: served.app })
  started.push(app)
  return { WAYBILL_HOST: await app.server.listen({ host: '127.0.0.1', port: 0 }) }
}

const linesAbout = (lines: readonly string[], line: number) =>
  lines.filter(text => text.includes(`the receipt on line ${line} `))

describe('an honest service', () => {
  it('has everything, also much later', async () => {
    const { write, verify, org_id } = await openOrg()
    await write('a', 'b')
    // More than one tile.
    await record(
      org_id,
      Array.from({ length: 300 }, (_, n) => ({ kind: 'org_exported', data: { n } })),
    )
    await write('c')
    const { code, lines } = await verify()
    expect(code).toBe(0)
    expect(lines[1]).toMatch(/^Log \S+: 30\d leaves, signed by [0-9a-f]{8}$/)
    expect(lines.slice(2)).toEqual(['All of this is shown.'])
  })

  it('may replace its key, if the old one says so', async () => {
    const { app } = served
    const { write, verify, list, org_id } = await openOrg()
    await write('before')
    await addNewKey(org_id)
    await write('both')
    await app.sql('update log_keys set retired_at = now() where org_id = $1 and number = 1', [org_id])
    await write('after')
    const [first, , last] = list()
    expect(last?.vkey).not.toBe(first?.vkey)
    expect(await verify()).toMatchObject({ code: 0 })
    // Without a receipt that both keys signed, nothing shows that the second one took over.
    const opened = await openOrg()
    await opened.write('before')
    await addNewKey(opened.org_id)
    await app.sql('update log_keys set retired_at = now() where org_id = $1 and number = 1', [opened.org_id])
    const { code, stderr } = await opened.run('create environment after --type server')
    expect([code, stderr]).toEqual([0, expect.stringContaining('nothing shows that this key took over from')])
    const { code: judged, lines } = await opened.verify()
    expect([judged, lines.join('\n')]).toEqual([2, expect.stringContaining('WARNING: the log of')])
    const { body } = await app.admin.get(`/log/${opened.org}/keys`)
    expect(await opened.verify(`--vkey ${body.keys[1].vkey}`)).toMatchObject({ code: 0 })
  })

  it('may be away: then nothing can be judged', async () => {
    const { write, verify, rewrite } = await openOrg()
    await write('a')
    const { code, lines } = await verify('--timeout 1 --max-api-retries 0', {
      WAYBILL_HOST: 'http://127.0.0.1:1',
    })
    expect([code, lines.at(-1)]).toEqual([2, 'Something cannot be judged.'])
    rewrite(([a]) => [{ ...(a as Receipt), body: '{}' }])
    const again = await verify('--timeout 1 --max-api-retries 0', { WAYBILL_HOST: 'http://127.0.0.1:1' })
    expect([again.code, linesAbout(again.lines, 1)]).toEqual([1, [expect.stringContaining('not what was')]])
    expect(await verify('no-such-file.jsonl')).toMatchObject({ code: 2 })
    expect((await verify('/dev/null')).lines[0]).toContain('/dev/null cannot be read: it is not a plain file')
  })
})

async function addNewKey(org_id: string): Promise<void> {
  const { db, clock } = served.app
  const now = clock.now()
  const [head] = await served.app.sql('select origin from log_heads where org_id = $1', [org_id])
  const log = { org_id, epoch: 1, origin: String(head?.origin) }
  await db.withTransaction({ org_id }, tx =>
    addKey(log, {
      tx,
      sealer: makeSealer(SECRET_KEY),
      now,
      record: (kind, data) => recordIn(tx, org_id, [{ kind, data }]),
    }),
  )
}

interface Recorded {
  kind: EventKind
  data: Record<string, unknown>
}

const record = (org_id: string, events: Recorded[]) =>
  served.app.db.withTransaction({ org_id }, tx => recordIn(tx, org_id, events))

function recordIn(tx: Db, org_id: string, events: Recorded[]) {
  const { clock } = served.app
  const context = { org: { org_id }, caller: { name: 'operator' }, now: clock.now(), request_id: 'r' }
  return recordEvents(tx, context, makeIds(clock), events)
}

describe('an operator who drops a record', () => {
  it('and goes on with another history: the receipts of what is gone are named', async () => {
    const { write, verify, run, org_id } = await openOrg()
    await write('kept', 'dropped', 'after')
    await loseLeaves(served.app, org_id, 2)
    const env = await restart()
    for (const name of ['other-1', 'other-2', 'other-3'])
      expect((await run(`create environment ${name} --type server --no-receipts`, env)).code).toBe(0)
    const { code, lines } = await verify('', env)
    expect([code, lines.at(-1)]).toEqual([1, 'Something is false: keep the receipts, they are evidence.'])
    expect(linesAbout(lines, 1)).toEqual([])
    for (const line of [2, 3])
      expect(linesAbout(lines, line)).toEqual([
        expect.stringMatching(/: it is of|its leaf is not in the log of \d+ leaves$/),
      ])
  })

  it('that somebody else wrote: every later receipt saw another log', async () => {
    const { write, verify, run, list, org_id } = await openOrg()
    await run('create environment dropped --type server --no-receipts')
    await write('later')
    const [receipt] = list()
    // In its place is something else, and the leaf of the receipt is where it was.
    const seq = (receipt?.index ?? 0) - 1
    await served.app.sql(`update log_leaves set leaf_hash = sha256('other') where org_id = $1 and seq = $2`, [
      org_id,
      seq,
    ])
    const { code, lines } = await verify('', await restart())
    expect([code, linesAbout(lines, 1)]).toEqual([
      1,
      [expect.stringMatching(/the log was rewritten: its first \d+ leaves are not those/)],
    ])
  })

  it('and is stopped by the service: the receipts are named all the same', async () => {
    const { write, verify, org_id } = await openOrg()
    await write('kept', 'dropped')
    await publishLogs(served.app)
    await loseLeaves(served.app, org_id, 1)
    const { code, lines } = await verify('--max-api-retries 0')
    expect(code).toBe(1)
    expect(lines.join('\n')).toContain('cannot be judged: The log cannot be signed')
    expect(linesAbout(lines, 1)).toEqual([expect.stringMatching(/^UNKNOWN: .* its leaf is still stored/)])
    expect(linesAbout(lines, 2)).toEqual([
      expect.stringMatching(/^FALSE: .* does not have its leaf any more$/),
    ])
  })

  it('and opens a new log without it: the receipts are named, and so is the change', async () => {
    const { app } = served
    const { write, verify, run, rewrite, org_id } = await openOrg()
    await write('kept', 'dropped')
    await publishLogs(app)
    await loseLeaves(app, org_id, 1)
    await reopen(org_id)
    const env = await restart()
    // It has the same address elsewhere.
    rewrite(receipts => receipts.map(receipt => ({ ...receipt, host: env.WAYBILL_HOST ?? '' })))
    const written = await run('create environment later --type server', env)
    expect([written.code, written.stderr]).toEqual([
      0,
      expect.stringContaining('the organization had the log'),
    ])
    const { code, lines } = await verify('', env)
    expect(code).toBe(1)
    expect(linesAbout(lines, 2)).toEqual([
      expect.stringMatching(/^FALSE: .* does not have its leaf any more$/),
    ])
    expect(linesAbout(lines, 3)).toEqual([])
  })
})

async function reopen(org_id: string): Promise<void> {
  const { owner, evidence } = served.app
  const { data } = await reopenLog(makeOwnerDb(owner), evidence.anchors, org_id, 'restored from a backup')
  await record(org_id, [{ kind: 'log_reopened', data }])
}

describe('a receipt that is', () => {
  const edit = (change: (receipt: Receipt) => Partial<Receipt>) => (opened: Opened) =>
    opened.rewrite(([first, second, ...rest]) => [
      first as Receipt,
      { ...(second as Receipt), ...change(second as Receipt) },
      ...rest,
    ])

  it.each<[string, (opened: Opened) => void, string]>([
    [
      'edited: its body',
      edit(({ body }) => ({
        body: body?.replace('"name": "b"', '"name": "x"').replace('"b"', '"x"') ?? null,
      })),
      'is not what was recorded',
    ],
    [
      'edited: its leaf',
      edit(({ leaf }) => ({ leaf: leaf?.replace(/at \d+/, 'at 1') ?? null })),
      'leaf, salt and body',
    ],
    ['edited: its place', edit(() => ({ index: 0 })), 'its proof is of leaf'],
    [
      'edited: its checkpoint',
      edit(({ proof }) => ({
        proof: proof?.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`) ?? null,
      })),
      'its proof does not show',
    ],
    [
      'edited: its signature',
      edit(({ proof }) => ({
        proof: proof?.replace(/.{8}\n$/, proof.endsWith('=\n') ? 'AAAAAAA=\n' : 'AAAAAAAA\n') ?? null,
      })),
      'the signature of its checkpoint is wrong',
    ],
    [
      'of another write: the service handed over the same leaf for both',
      opened => opened.rewrite(([a, , c]) => [a, { ...a, request: 'PUT /flows/acme' }, c] as Receipt[]),
      'its leaf is also the one of line 1, which is another write',
    ],
    ['of another tag key', edit(() => ({ tag_key_sha256: 'ab' })), 'its tag key is not the one'],
    ['of another log', edit(() => ({ origin: 'elsewhere/log/x/1' })), 'it is of the log elsewhere/log/x/1'],
    [
      'forged: its leaf is of another log',
      edit(() => ({ leaf_hash: Buffer.alloc(32).toString('base64'), leaf: null, proof: null })),
      'its leaf is not in the log of',
    ],
    ['contradicted when it was made', edit(() => ({ contradictions: ['another file'] })), 'another file'],
  ])('%s', async (_, change, sentence) => {
    const opened = await openOrg()
    await opened.write('a', 'b', 'c')
    change(opened)
    const { code, lines } = await opened.verify()
    expect([code, lines.at(-1)]).toEqual([1, expect.stringContaining('Something is false')])
    expect(linesAbout(lines, 2).join('\n')).toContain(sentence)
    for (const line of [1, 3]) expect(linesAbout(lines, line)).toEqual([])
  })

  it('of another service cannot be judged here, and what is no receipt is named', async () => {
    const opened = await openOrg()
    await opened.write('a', 'b')
    edit(() => ({ host: 'https://other.example', origin: 'other.example/log/x/1', proof: null }))(opened)
    const { code, lines } = await opened.verify()
    expect([code, linesAbout(lines, 2)]).toEqual([2, [expect.stringMatching(/^UNKNOWN: /)]])
    appendFileSync(opened.path, '{"receipt": "something else"}\n')
    const again = await opened.verify()
    expect([again.code, again.lines.join('\n')]).toEqual([
      1,
      expect.stringContaining('line 3 is not a receipt'),
    ])
  })
})
