// The leaves of a downloaded log: whatever is changed, left out, added or moved is refused, and the leaf is named.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import {
  formatCheckpoint,
  formatEntries,
  hashChildren,
  hashLeaf,
  parseEntries,
} from '@waybill/transparency-log'
import { describe, expect, it } from 'vitest'
import { formatLeaf } from '../src/domain/log/leaf.ts'
import { claimAttestations } from '../src/verifier/claims.ts'
import {
  type AlteredCase,
  ARTIFACT,
  alterLog,
  dropLeaf,
  expectRefused,
  replaceEntry,
  replaceText,
  useGoodLog,
} from './altered-log.ts'
import { appendLeaf, type LogCopy, put, readCheckpoint, sign, verifyFolder } from './log-copy.ts'

const log = useGoodLog()

const swapAt = <T>(list: T[], i: number, j: number) => {
  ;[list[i], list[j]] = [list[j] as T, list[i] as T]
}

const CASES: AlteredCase[] = [
  [
    'a byte of a leaf',
    'V7',
    /^leaf 7 is not the one that was signed$/,
    altered => {
      replaceEntry(altered, 7, replaceText('kind ', 'kind x'))
    },
  ],
  [
    'a byte of a leaf in the last bundle',
    'V7',
    /^leaf 256 is not the one that was signed$/,
    ({ edit, size }) => {
      edit(`tile/entries/001.p/${size - 256}`, replaceText('org_exported', 'org_exportex'))
    },
  ],
  [
    'a byte of a leaf without tiles',
    'V7',
    /^leaves 0–\d+ do not give the signed root: at least one was changed, left out, added or moved$/,
    altered => {
      replaceEntry(altered, 7, replaceText('kind ', 'kind x'))
      rmSync(join(altered.folder, 'tile/1'), { recursive: true })
    },
  ],
  [
    'a byte of a leaf and of its tile',
    'V7',
    /^leaves 0–255 do not give the signed root: /,
    altered => {
      replaceEntry(altered, 7, replaceText('kind ', 'kind x'))
      altered.edit('tile/0/000', tile => tile.fill(0, 0, 32))
    },
  ],
  [
    'a byte of a tile',
    'V7',
    /^tile\/0\/000 is not the tile of the leaves in the folder$/,
    ({ edit }) => {
      edit('tile/0/000', tile => tile.fill(0, 0, 1))
    },
  ],
  [
    'a byte of a tile above',
    'V7',
    /^tile\/1\/000\.p\/1 is not the tile of the leaves/,
    ({ edit }) => {
      edit('tile/1/000.p/1', tile => tile.fill(0, 0, 1))
    },
  ],
  [
    'two leaves swapped',
    'V7',
    /^leaf 11 is in the place of leaf 10$/,
    altered => {
      altered.edit('tile/entries/000', bundle => {
        const entries = parseEntries(bundle)
        swapAt(entries, 10, 11)
        return formatEntries(entries)
      })
    },
  ],
  [
    'two leaves swapped and signed again',
    'V7',
    /^leaf 11 is in the place of leaf 10$/,
    async ({ copy, resign }) => {
      swapAt(copy.leaves, 10, 11)
      await resign()
    },
  ],
  [
    'a leaf dropped',
    'V7',
    /^tile\/entries\/000 has 255 leaves instead of 256$/,
    ({ edit }) => {
      edit('tile/entries/000', bundle => formatEntries(parseEntries(bundle).toSpliced(9, 1)))
    },
  ],
  [
    'a leaf dropped and the others renumbered',
    'V7',
    /not the one that was signed|do not give the signed root/,
    async altered => {
      const checkpoint = log.checkpoint
      dropLeaf(altered, log.attested[0] ?? 0)
      appendLeaf(altered.copy, 'org_exported', {})
      await altered.resign()
      put(altered.folder, 'checkpoint', checkpoint)
    },
  ],
  [
    'a truncated log',
    'V7',
    /^the leaves from 256 on are missing: there is no file tile\/entries\/001\.p\/\d+$/,
    ({ folder }) => {
      rmSync(join(folder, 'tile/entries/001.p'), { recursive: true })
    },
  ],
  [
    'a bundle that ends in the middle',
    'V7',
    /is not a bundle of leaves/,
    ({ edit }) => {
      edit('tile/entries/000', bundle => bundle.subarray(0, -1))
    },
  ],
  [
    'the time of a leaf moved back',
    'V7',
    /^leaf 20 is older than the leaf before it$/,
    async ({ copy, resign }) => {
      copy.leaves[20] = { ...(copy.leaves[20] as LogCopy['leaves'][number]), at_ms: 1 }
      await resign()
    },
  ],
  [
    'an inner node as a leaf',
    'V7',
    /^leaf 0 is not a leaf of a form that is known$/,
    async ({ folder, copy }) => {
      // 64 bytes that hash to the same as two leaves, if leaves and nodes were hashed in the same way.
      const hashes = copy.leaves.slice(0, 2).map(leaf => hashLeaf(Buffer.from(formatLeaf(leaf))))
      const root = hashChildren(hashes[0] as Buffer, hashes[1] as Buffer)
      rmSync(folder, { recursive: true })
      put(folder, 'tile/entries/000.p/1', formatEntries([Buffer.concat(hashes)]))
      put(
        folder,
        'checkpoint',
        await sign(formatCheckpoint({ origin: log.keys[0]?.name ?? '', size: 1, root }), { keys: log.keys }),
      )
    },
  ],
  [
    'a log of another size',
    'V7',
    /^tile\/entries\/001\.p\/\d+ has \d+ leaves instead of \d+$|^the leaves from 256 on are missing/,
    async ({ folder, size }) => {
      const text = formatCheckpoint({ ...readCheckpoint(log.folder), size: size + 1 })
      put(folder, 'checkpoint', await sign(text, { keys: log.keys }))
    },
  ],
  [
    'the tag key of another organization',
    'V8',
    /^the tag key is not the one the log was opened with$/,
    ({ folder }) => {
      put(folder, 'tagkey', 'ab'.repeat(32))
    },
  ],
  [
    'a log without a leaf',
    'V8',
    /^the log has no leaf 0/,
    async ({ copy, resign }) => {
      copy.leaves = []
      copy.bodies = new Map()
      await resign()
    },
  ],
]

describe('a log with altered leaves', () => {
  it.each(CASES)('%s is refused as %s', (...altered) => expectRefused(log, altered))
})

describe('an altered log', () => {
  it('shows no results', async () => {
    const altered = alterLog(log)
    replaceEntry(altered, 7, replaceText('kind ', 'kind x'))
    const claims = [claimAttestations(ARTIFACT)]
    const { policy } = log
    expect(await verifyFolder(altered.folder, { policy, claims })).toMatchObject({ answers: [] })
  })
})

describe('files that are not a log', () => {
  it.each([
    [
      'a link',
      'is not a plain file',
      (folder: string) => {
        rmSync(join(folder, 'tile/entries/000'))
        symlinkSync('/etc/passwd', join(folder, 'tile/entries/000'))
      },
    ],
    [
      'a folder',
      'is not a plain file',
      (folder: string) => {
        rmSync(join(folder, 'bodies/000'))
        mkdirSync(join(folder, 'bodies/000'))
      },
    ],
    [
      'an enormous file',
      'at most 65536 are read',
      (folder: string) => put(folder, 'checkpoint', 'x'.repeat(70_000)),
    ],
  ])('%s cannot be judged', async (_, sentence, alter) => {
    const { folder } = alterLog(log)
    alter(folder)
    await expect(verifyFolder(folder, { policy: log.policy })).rejects.toThrow(sentence)
  })
})
