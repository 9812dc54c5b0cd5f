// Bodies of leaves and claims about a log: data that was not recorded, is missing or was left out of a list is
// refused.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { computeTag } from '../src/domain/log/commit.ts'
import { claimAll, claimAttestations, claimSnapshots } from '../src/verifier/claims.ts'
import {
  type AlteredCase,
  ARTIFACT,
  changeLine,
  dropLeaf,
  expectRefused,
  OTHER_ARTIFACT,
  replaceText,
  useGoodLog,
} from './altered-log.ts'
import { appendLeaf, type LogCopy, put, replaceBody } from './log-copy.ts'

const log = useGoodLog()

const CASES: AlteredCase[] = [
  [
    'an attestation left out of a list',
    'V9',
    /^leaf \d+ is about artifact a+ and is not in the list/,
    () => ({
      claims: [claimAttestations(ARTIFACT, { indices: log.attested.slice(1) })],
    }),
  ],
  [
    'an attestation of another artifact in a list',
    'V9',
    /^leaf \d+ is in the list .* and is not about artifact b+$/,
    () => ({
      claims: [claimAttestations(OTHER_ARTIFACT, { indices: log.attested })],
    }),
  ],
  [
    'nothing, where there is something',
    'V9',
    /^leaf \d+ is about artifact a+ and is not in the list of the claim/,
    () => ({
      claims: [claimAll({ type: 'artifact', id: ARTIFACT }, { indices: [] })],
    }),
  ],
  [
    'a range that is shorter than the period',
    'V9',
    /is about leaves 0–99, and its period has leaves 0–\d+$/,
    () => ({
      claims: [
        claimSnapshots(log.environment, { from_ms: 0, to_ms: Number.MAX_SAFE_INTEGER }, { range: [0, 100] }),
      ],
    }),
  ],
  [
    'a snapshot that was never recorded',
    'V9',
    /^leaf \d+ is snapshot 3 of environment .*, is snapshot 1$/,
    async altered => {
      dropLeaf(altered, log.taken[1] ?? 0)
      await altered.resign()
      return { claims: [claimSnapshots(log.environment, undefined)] }
    },
  ],
  [
    'a leaf without the tag of its artifact',
    'V9',
    /^the tags of leaf \d+ \(artifact_attestation_reported\) do not fit its body$/,
    async ({ copy, resign }) => {
      const index = log.attested[0] ?? 0
      const tag = computeTag(log.tag_key, { type: 'artifact', id: ARTIFACT })
      const leaf = copy.leaves[index] as LogCopy['leaves'][number]
      copy.leaves[index] = { ...leaf, about: leaf.about.filter(each => each !== tag) }
      await resign()
    },
  ],
  [
    'a leaf with a foreign tag',
    'V9',
    /^the tags of leaf 8 .* do not fit its body$/,
    async ({ copy, resign }) => {
      const leaf = copy.leaves[8] as LogCopy['leaves'][number]
      copy.leaves[8] = {
        ...leaf,
        about: [...leaf.about, computeTag(log.tag_key, { type: 'artifact', id: OTHER_ARTIFACT })].sort(),
      }
      await resign()
    },
  ],
  [
    'a byte of a body',
    'V10',
    /^the body of leaf 8 \(\w+\) is not what was recorded$/,
    altered =>
      changeLine(altered, 8, line => ({ ...line, body: line.body.replace('"actor": "', '"actor": "x') })),
  ],
  [
    'another salt',
    'V10',
    /^the body of leaf 8 \(\w+\) is not what was recorded$/,
    altered => changeLine(altered, 8, line => ({ ...line, salt: Buffer.alloc(32).toString('base64') })),
  ],
  [
    'a salt and a body that are divided elsewhere',
    'V10',
    /^the body of leaf 8 \(\w+\) is not what was recorded$/,
    altered =>
      changeLine(altered, 8, ({ index, salt, body }) => {
        const all = Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(body)])
        return { index, salt: all.subarray(0, 33).toString('base64'), body: all.subarray(33).toString() }
      }),
  ],
  [
    'the body of another leaf',
    'V10',
    /^the body of leaf 8 \(\w+\) is not what was recorded$/,
    altered => changeLine(altered, 8, line => ({ ...(altered.copy.bodies.get(9) ?? line), index: 8 })),
  ],
  [
    'a body of another kind',
    'V10',
    /^leaf 8 is of the kind \w+, and its body is not$/,
    async ({ copy, resign }) => {
      replaceBody(copy, 8, body => body.replace(/"kind": "\w+"/, '"kind": "org_exported"'))
      await resign()
    },
  ],
  [
    'a missing body',
    'V10',
    /^the body of leaf 8 is missing and no erasure is recorded$/,
    altered => changeLine(altered, 8, () => undefined),
  ],
  [
    'a missing file of bodies',
    'V10',
    /^the bodies of leaves 0–255 are missing and no erasure is recorded$/,
    ({ folder }) => {
      rmSync(join(folder, 'bodies/000'))
    },
  ],
  [
    'a missing body, and the erasure of another one',
    'V10',
    /^the body of leaf 8 is missing and no erasure is recorded$/,
    async ({ copy, resign }) => {
      appendLeaf(copy, 'body_erased', { index: 9 })
      copy.bodies.delete(8)
      await resign()
    },
  ],
  [
    'a missing body, and the erasure of another event',
    'V10',
    /^the body of leaf 8 is missing and no erasure is recorded$/,
    async ({ copy, resign }) => {
      appendLeaf(copy, 'body_erased', { index: 8, event: copy.leaves[9]?.event })
      copy.bodies.delete(8)
      await resign()
    },
  ],
  [
    'a missing body, and an erasure in another log',
    'V10',
    /^the body of leaf 8 is missing and no erasure is recorded$/,
    async ({ copy, resign }) => {
      appendLeaf(copy, 'body_erased', { index: 8, epoch: 2 })
      copy.bodies.delete(8)
      await resign()
    },
  ],
  [
    'an erasure of a later leaf',
    'V10',
    /^leaf \d+ erases the body of leaf 100000, which is not before it$/,
    async ({ copy, resign }) => {
      appendLeaf(copy, 'body_erased', { index: 100_000 })
      await resign()
    },
  ],
  [
    'another report',
    'V10',
    /^the report of leaf \d+ \(artifact_attestation_reported\) is not what was recorded$/,
    ({ folder }) => {
      put(folder, `parts/${log.attested[0]}/report`, '{"is_compliant": true}')
    },
  ],
  [
    'a line that is no body',
    'V10',
    /^line 1 of bodies\/000 is not a body$/,
    ({ edit }) => {
      edit('bodies/000', replaceText('{', '['))
    },
  ],
]

describe('a log with altered bodies, or claims about it that are false', () => {
  it.each(CASES)('%s is refused as %s', (...altered) => expectRefused(log, altered))
})
