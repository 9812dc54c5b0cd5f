// A checkpoint of a log that was reopened after a loss of data: what its successor can show about it, and what nothing
// can. Never that everything is shown.
import { formatVerifierKey, generateKey, type SignerKey } from '@waybill/transparency-log'
import { describe, expect, it } from 'vitest'
import { trust, useGoodLog } from './altered-log.ts'
import { appendLeaf, type LogCopy, signPrefix, verifyFolder, writeCopy } from './log-copy.ts'
import { makeScratchFolder } from './service.ts'

const log = useGoodLog()

const LAST = 200
const NOT_HERE = 'What that log recorded is not in this one: only a copy of that log can show it'
const IF_GENUINE = /\. This is false if your checkpoint is genuine: give the key of that log too/

const getOld = (): SignerKey => log.keys[0] as SignerKey
const makeKey = (epoch: number) => generateKey(getOld().name.replace(/1$/, String(epoch)), 'note')

/** A checkpoint of the log before. */
const signOld = (size: number, key = getOld(), copy: LogCopy = log.copy) =>
  signPrefix(copy, size, { keys: [key] })

interface Reopened {
  /** The checkpoint that the first leaf names. */
  last: string | null
  seen: string
  /** Whether the auditor has the key of the log before. */
  keys?: readonly SignerKey[]
  epoch?: number
}

async function verifyReopened({ last, seen, keys = [], epoch = 2 }: Reopened) {
  const key = makeKey(epoch)
  const copy: LogCopy = { leaves: [], bodies: new Map() }
  appendLeaf(copy, 'log_reopened', {
    origin: key.name,
    tag_key: log.tag_key.toString('hex'),
    reason: 'the disk failed',
    previous: { origin: getOld().name, size: 7, checkpoint: last },
  })
  appendLeaf(copy, 'log_key_added', { vkey: formatVerifierKey(key), number: 1 })
  const folder = makeScratchFolder()
  await writeCopy(folder, copy, { keys: [key] })
  const policy = trust([key, ...keys])
  const { verdict, findings } = await verifyFolder(folder, { policy, seen: new Map([['kept', seen]]) })
  const of_history = findings.filter(({ code }) => code === 'V5')
  expect(of_history).toContainEqual({
    code: 'V5',
    level: 'note',
    text: expect.stringMatching(/^this log was opened .* after a loss of data, .*: the disk failed$/),
  })
  return {
    verdict,
    findings: findings.filter(({ level }) => level !== 'note'),
    judged: of_history.find(({ level }) => level !== 'note')?.text,
  }
}

describe('a checkpoint of the log before', () => {
  it.each([
    ['is the last one', LAST, 'leaf 0 names it as the last one of that log'],
    ['is older than the last one', 100, `leaf 0 names ${LAST} as the last one of that log`],
  ])('that %s cannot be judged, with and without its key', async (_, size, text) => {
    const last = await signOld(LAST)
    const seen = await signOld(size)
    for (const keys of [[], log.keys]) {
      const { verdict, judged } = await verifyReopened({ last, seen, keys })
      expect([verdict, judged]).toEqual([
        'unknown',
        `you have seen checkpoint ${size} of '${getOld().name}': ${text}. ${NOT_HERE}`,
      ])
    }
  })

  it('that is newer than the one that leaf 0 names is false, if its signature shows that it is genuine', async () => {
    const reopened = { last: await signOld(LAST), seen: await signOld(250) }
    const text = /: leaf 0 names 200 as the last one of that log, and leaves out 50 records that were signed/
    const shown = await verifyReopened({ ...reopened, keys: log.keys })
    expect([shown.verdict, shown.judged]).toEqual(['false', expect.stringMatching(text)])
    expect(shown.judged).not.toMatch(IF_GENUINE)
    const unknown = await verifyReopened(reopened)
    expect([unknown.verdict, unknown.judged]).toEqual(['unknown', expect.stringMatching(text)])
    expect(unknown.judged).toMatch(IF_GENUINE)
  })

  it('of the same size with another root is false, if it is genuine', async () => {
    const forked = { ...log.copy, leaves: log.copy.leaves.toSpliced(5, 1) }
    const reopened = { last: await signOld(LAST, getOld(), forked), seen: await signOld(LAST) }
    expect((await verifyReopened({ ...reopened, keys: log.keys })).verdict).toBe('false')
    expect((await verifyReopened(reopened)).verdict).toBe('unknown')
  })

  it('with a wrong signature is false, whatever it says', async () => {
    const seen = (await signOld(LAST)).replace(`\n${LAST}\n`, `\n${LAST - 1}\n`)
    const { verdict, findings } = await verifyReopened({ last: await signOld(LAST), seen, keys: log.keys })
    expect([verdict, findings[0]?.code]).toEqual(['false', 'V2'])
  })

  it('cannot be judged if leaf 0 names none, or no checkpoint at all', async () => {
    for (const last of [null, 'nonsense']) {
      const { verdict, judged } = await verifyReopened({ last, seen: await signOld(250), keys: log.keys })
      expect([verdict, judged]).toEqual(['unknown', expect.stringContaining('names no checkpoint')])
    }
  })

  it('of a log before the one that leaf 0 names cannot be judged', async () => {
    const second = makeKey(2)
    const last = await signOld(LAST, second)
    const { verdict, judged } = await verifyReopened({
      last,
      seen: await signOld(5),
      keys: log.keys,
      epoch: 3,
    })
    expect([verdict, judged]).toEqual([
      'unknown',
      expect.stringContaining(`continues '${second.name}', a later log`),
    ])
  })

  it('of a log that leaf 0 leaves out is false, if it is genuine', async () => {
    const second = makeKey(2)
    const reopened = { last: await signOld(LAST), seen: await signOld(5, second), epoch: 3 }
    expect((await verifyReopened({ ...reopened, keys: [second] })).verdict).toBe('false')
    expect((await verifyReopened(reopened)).verdict).toBe('unknown')
  })

  it.each([
    ['another organization', 'waybill.test/log/another/1'],
    ['a log that was opened later', 'waybill.test/log/x/9'],
  ])('is no such checkpoint if it is of %s', async (_, name) => {
    const origin = name.includes('x/9') ? getOld().name.replace(/1$/, '9') : name
    const seen = await signOld(5, generateKey(origin, 'note'))
    const { verdict, findings } = await verifyReopened({ last: await signOld(LAST), seen })
    expect([verdict, findings]).toEqual([
      'false',
      [{ code: 'V2', level: 'false', text: `checkpoint 5 is of another log: '${origin}'` }],
    ])
  })
})
