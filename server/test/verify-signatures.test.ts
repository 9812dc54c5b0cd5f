// Who vouches for a log: other keys, missing witnesses, broken key chains and other histories are refused.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatCheckpoint, formatVerifierKey, generateKey, type SignerKey } from '@waybill/transparency-log'
import { describe, it } from 'vitest'
import { type AlteredCase, dropLeaf, expectRefused, replaceText, trust, useGoodLog } from './altered-log.ts'
import { appendLeaf, makeWitness, put, readCheckpoint, replaceBody, sign, signPrefix } from './log-copy.ts'

const log = useGoodLog()

const COSIGNED_S = 1_800_000_000
const keep = (text: string) => new Map([['kept', text]])

const requireBoth = (witnesses: readonly SignerKey[]) =>
  trust(
    log.keys,
    `${witnesses.map(witness => `witness ${witness.name} ${formatVerifierKey(witness)}`).join('\n')}
group both all ${witnesses.map(({ name }) => name).join(' ')}
quorum both`,
  )

const CASES: AlteredCase[] = [
  [
    'a checkpoint that was changed',
    'V2',
    /signature of .* is wrong: the note was changed/,
    ({ edit, size }) => {
      edit('checkpoint', replaceText(`\n${size}\n`, `\n${size - 1}\n`))
    },
  ],
  [
    'a checkpoint that is none',
    'V2',
    /^checkpoint is not a checkpoint: /,
    ({ folder }) => {
      put(folder, 'checkpoint', 'checkpoint\n')
    },
  ],
  [
    'a checkpoint with carriage returns',
    'V2',
    /The note is malformed/,
    ({ edit }) => {
      edit('checkpoint', replaceText(/\n/g, '\r\n'))
    },
  ],
  [
    'a size beyond 2^53',
    'V2',
    /too large/,
    async ({ folder }) => {
      const text = formatCheckpoint({ ...readCheckpoint(log.folder), size: 1 }).replace(
        '\n1\n',
        '\n9007199254740993\n',
      )
      put(folder, 'checkpoint', await sign(text, { keys: log.keys }))
    },
  ],
  [
    'another key',
    'V2',
    /^checkpoint \d+ is not signed by the log key you trust \(found key id [0-9a-f]{8}\)$/,
    async ({ resign }) => {
      await resign({ keys: [generateKey(log.keys[0]?.name ?? '', 'note')] })
    },
  ],
  [
    'the log of another organization',
    'V2',
    /is of the log '.*'; you trust other\.example\/log$/,
    () => ({
      policy: trust([generateKey('other.example/log', 'note')]),
    }),
  ],
  [
    'an earlier checkpoint of another log',
    'V2',
    /checkpoint 3 is of another log/,
    async ({ folder, copy }) => {
      const key = generateKey('other.example/log', 'note')
      put(folder, 'checkpoints/3', await signPrefix(copy, 3, { keys: [key] }))
    },
  ],
  [
    'an origin that leaf 0 does not name',
    'V2',
    /^leaf 0 opened the log '.*', and the checkpoint is of 'other\.example\/log'$/,
    async ({ resign }) => {
      const key = generateKey('other.example/log', 'note')
      await resign({ keys: [key] })
      return { policy: trust([key]) }
    },
  ],
  [
    'a fork that one of two witnesses has cosigned',
    'V3',
    /^1 of 2 needed witnesses cosigned \(w1\)$/,
    async ({ resign }) => {
      const witnesses = [makeWitness('w1'), makeWitness('w2')]
      await resign({ keys: [...log.keys, witnesses[0] as SignerKey], time_s: COSIGNED_S })
      return { policy: requireBoth(witnesses) }
    },
  ],
  [
    'a cosignature of another checkpoint',
    'V3',
    /signature of 'w1' .* is wrong/,
    async ({ folder, copy }) => {
      const witnesses = [makeWitness('w1'), makeWitness('w2')]
      const other = await signPrefix(copy, 3, { keys: witnesses, time_s: COSIGNED_S })
      const lines = other.slice(other.indexOf('\n\n') + 2)
      put(folder, 'checkpoint', readFileSync(join(folder, 'checkpoint'), 'utf8') + lines)
      return { policy: requireBoth(witnesses) }
    },
  ],
  [
    'a key that the key before it never signed',
    'V4',
    /^key [0-9a-f]{8} took over at leaf \d+ without the signature of the key before it$/,
    async ({ copy, resign }) => {
      const key = generateKey(log.keys[0]?.name ?? '', 'note')
      appendLeaf(copy, 'log_key_added', { vkey: formatVerifierKey(key), number: 2 })
      await resign({ keys: [key] })
    },
  ],
  [
    'a retired key',
    'V4',
    /^checkpoint \d+ is signed only by key [0-9a-f]{8}, which leaf \d+ retired$/,
    async ({ copy, resign }) => {
      appendLeaf(copy, 'log_key_retired', { vkey: formatVerifierKey(log.keys[0] as SignerKey), number: 1 })
      await resign()
    },
  ],
  [
    'a key leaf without a key',
    'V4',
    /^leaf \d+ names a key that is none/,
    async ({ copy, resign }) => {
      appendLeaf(copy, 'log_key_added', { vkey: 'none' })
      await resign()
    },
  ],
  [
    'a fork at equal size',
    'V5',
    /two checkpoints of size \d+ with different roots: the log was forked/,
    async ({ copy, resign }) => {
      replaceBody(copy, 8, body => body.replace('"actor": "', '"actor": "not '))
      await resign()
      return { seen: keep(log.checkpoint) }
    },
  ],
  [
    'a fork after a size that was seen',
    'V5',
    /^checkpoint 200 is not a prefix of checkpoint \d+: the log was rewritten$/,
    async altered => {
      const seen = keep(await signPrefix(altered.copy, 200, { keys: log.keys }))
      replaceBody(altered.copy, 8, body => body.replace('"actor": "', '"actor": "not '))
      await altered.resign()
      return { seen }
    },
  ],
  [
    'a fork after an earlier checkpoint in the folder',
    'V5',
    /^checkpoint 200 is not a prefix/,
    async altered => {
      const earlier = await signPrefix(altered.copy, 200, { keys: log.keys })
      replaceBody(altered.copy, 8, body => body.replace('"actor": "', '"actor": "not '))
      await altered.resign()
      put(altered.folder, 'checkpoints/200', earlier)
    },
  ],
  [
    'the last leaf cut and the rest signed again',
    'V6',
    /^this is size \d+; you have seen \d+: an old state is being shown$/,
    async altered => {
      dropLeaf(altered, altered.size - 1)
      await altered.resign()
      return { seen: keep(log.checkpoint) }
    },
  ],
  [
    'an old checkpoint with its leaves',
    'V6',
    /^the newest thing in this log is of .*; you asked for one after 2999/,
    () => ({
      newer_than_ms: Date.parse('2999-01-01'),
    }),
  ],
]

describe('a log with invalid signatures', () => {
  it.each(CASES)('%s is refused as %s', (...altered) => expectRefused(log, altered))
})
