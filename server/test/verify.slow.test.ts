// A genuine log passes verification: by its key, by witnesses, through a key change, with erased bodies; and the
// verification lists the evidence for an artifact, and proves that there is no more.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatVerifierKey, generateKey, type SignerKey } from '@waybill/transparency-log'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Claim,
  claimAll,
  claimAttestations,
  claimSnapshots,
  parseClaims,
  parsePeriod,
} from '../src/verifier/claims.ts'
import type { Finding } from '../src/verifier/findings.ts'
import { ARTIFACT, addEvents, alterLog, trust, useGoodLog } from './altered-log.ts'
import {
  appendLeaf,
  fetchInto,
  makeWitness,
  put,
  readCheckpoint,
  signPrefix,
  verifyFolder,
} from './log-copy.ts'
import { makeFingerprint } from './reports.ts'
import { makeDataDirectory, makeScratchFolder, runProgram } from './service.ts'

const COSIGNED_S = 1_800_000_000
const W0: Finding = {
  code: 'W0',
  level: 'note',
  text: 'nobody but the operator vouches that others saw the same log',
}
/** The number of changed bytes per file. */
const CHANGES = 5

const log = useGoodLog()

describe('a downloaded log', () => {
  it('passes, with a warning that no witness has seen it', async () => {
    const { verdict, findings, log: shown } = await verifyFolder(log.folder, { policy: log.policy })
    expect({ verdict, findings }).toEqual({ verdict: 'shown', findings: [W0] })
    const { origin, size } = readCheckpoint(log.folder)
    expect(shown).toEqual({ origin, size, signed_by: [log.keys[0]?.id], witnesses: [] })
  })

  it('is refused if a byte of any file is changed', async () => {
    const files = readdirSync(log.folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name).slice(log.folder.length + 1))
    expect(files).toContain('tagkey')
    expect(files.length).toBeGreaterThan(8)
    for (const file of files) {
      const { size } = statSync(join(log.folder, file))
      for (let change = 0; change < CHANGES; change++) {
        const altered = alterLog(log)
        const at = Math.floor((size * change) / CHANGES)
        altered.edit(file, content => {
          content.writeUInt8((content[at] ?? 0) ^ 1, at)
          return content
        })
        const { verdict } = await verifyFolder(altered.folder, { policy: log.policy })
        expect(verdict, `byte ${at} of ${file}`).not.toBe('shown')
      }
    }
  })

  it('is the one that was seen before', async () => {
    const seen = new Map([
      ['then', await signPrefix(log.copy, 100, { keys: log.keys })],
      ['now', log.checkpoint],
    ])
    const newer_than_ms = log.copy.leaves.at(-1)?.at_ms
    const { verdict } = await verifyFolder(log.folder, { policy: log.policy, seen, newer_than_ms })
    expect(verdict).toBe('shown')
  })

  it('without bodies passes only for somebody who accepts that', async () => {
    const folder = makeScratchFolder()
    await fetchInto(log.app, folder, false)
    const { policy } = log
    expect(await verifyFolder(folder, { policy })).toMatchObject({ verdict: 'false' })
    const claims = [claimAttestations(ARTIFACT)]
    const { verdict, findings, answers } = await verifyFolder(folder, { policy, claims, with_bodies: false })
    expect(verdict).toBe('shown')
    expect(findings.map(({ code }) => code)).toEqual(['W0', 'V10'])
    expect(answers[0]?.leaves.map(({ index }) => index)).toEqual(log.attested)
  })

  it('with an unknown kind cannot be evaluated', async () => {
    const altered = alterLog(log)
    appendLeaf(altered.copy, 'of_the_future', {})
    await altered.resign()
    const { verdict, findings } = await verifyFolder(altered.folder, { policy: log.policy })
    expect(verdict).toBe('unknown')
    expect(findings.map(({ text }) => text).join()).toContain("of the kind 'of_the_future'")
  })
})

describe('witnesses', () => {
  let witnesses: SignerKey[]
  let policy: ReturnType<typeof trust>
  beforeAll(() => {
    witnesses = ['w1', 'w2', 'w3'].map(makeWitness)
    const lines = witnesses.map(key => `witness ${key.name} ${formatVerifierKey(key)}`).join('\n')
    policy = trust(log.keys, `${lines}\ngroup two 2 w1 w2 w3\nquorum two`)
  })

  it('vouch for a log, and show since when its leaves are provable', async () => {
    const altered = alterLog(log)
    await altered.resign({ keys: [...log.keys, ...witnesses.slice(1)], time_s: COSIGNED_S })
    const early = { keys: [...log.keys, ...witnesses], time_s: COSIGNED_S - 3_600 }
    const size = (log.attested[0] ?? 0) + 1
    put(altered.folder, `checkpoints/${size}`, await signPrefix(log.copy, size, early))
    const claims = [claimAttestations(ARTIFACT)]
    const verification = await verifyFolder(altered.folder, { policy, claims })
    expect(verification).toMatchObject({
      verdict: 'shown',
      findings: [],
      log: { witnesses: ['w2', 'w3'] },
    })
    expect(verification.cosigned).toContainEqual({ size, time_s: COSIGNED_S - 3_600 })
  })
})

describe('a chain of keys', () => {
  it('is followed from the trusted key to the current ones, and back', async () => {
    const altered = alterLog(log)
    const next = generateKey(log.keys[0]?.name ?? '', 'note')
    appendLeaf(altered.copy, 'log_key_added', { vkey: formatVerifierKey(next), number: 2 })
    const both = await signPrefix(altered.copy, altered.copy.leaves.length, { keys: log.keys })
    appendLeaf(altered.copy, 'log_key_retired', {
      vkey: formatVerifierKey(log.keys[0] as SignerKey),
      number: 1,
    })
    await altered.resign({ keys: [next] })
    put(altered.folder, `checkpoints/${altered.copy.leaves.length - 1}`, both)
    expect(await verifyFolder(altered.folder, { policy: log.policy })).toMatchObject({
      verdict: 'shown',
      log: { signed_by: [next.id] },
    })
    expect(await verifyFolder(altered.folder, { policy: trust([next]) })).toMatchObject({ verdict: 'shown' })
  })
})

describe('an erased body', () => {
  it('is explained by the leaf that erased it', async () => {
    const altered = alterLog(log)
    const index = log.attested[0] ?? 0
    const { event } = log.copy.leaves[index] ?? {}
    const by = appendLeaf(altered.copy, 'body_erased', { epoch: 1, index, event })
    altered.copy.bodies.delete(index)
    await altered.resign()
    const { verdict, findings } = await verifyFolder(altered.folder, { policy: log.policy })
    expect({ verdict, findings }).toEqual({
      verdict: 'shown',
      findings: [
        W0,
        { code: 'V10', level: 'note', text: `the body of leaf ${index} was erased by leaf ${by}` },
      ],
    })
  })
})

describe('a question', () => {
  const ask = async (claim: Claim) =>
    (await verifyFolder(log.folder, { policy: log.policy, claims: [claim] })).answers

  it('for all attestations of an artifact is answered, including attestations of its trails', async () => {
    const [answer] = await ask(claimAttestations(ARTIFACT))
    expect(log.attested).toHaveLength(2)
    expect(answer?.leaves.map(({ index }) => index)).toEqual(log.attested)
    expect(answer?.leaves[0]?.happened_at).toMatch(/^20\d\d-.*Z$/)
    expect(answer?.of_trails.map(({ kind }) => kind)).toEqual(['trail_attestation_reported'])
  })

  it('for all snapshots of an environment in a period is answered', async () => {
    const [first, second] = log.taken.map(index => log.copy.leaves[index]?.at_ms ?? 0)
    const list = async (from: number, to: number) => {
      const period = parsePeriod(new Date(from).toISOString(), new Date(to).toISOString())
      const [answer] = await ask(claimSnapshots(log.environment, period))
      return answer?.leaves.map(({ index }) => index)
    }
    expect(await list(first ?? 0, (first ?? 0) + 1)).toEqual(log.taken.slice(0, 1))
    expect(await list(second ?? 0, Date.parse('2999-01-01'))).toEqual(log.taken.slice(1))
  })

  it('about something without records is answered', async () => {
    const [answer] = await ask(claimAll({ type: 'artifact', id: makeFingerprint('f') }))
    expect(answer?.leaves).toEqual([])
  })

  it("can be somebody else's claim, which is compared", async () => {
    const claims = parseClaims(
      JSON.stringify({
        claims: [
          { claim: 'all-attestations-of-artifact', artifact: ARTIFACT, indices: log.attested },
          { claim: 'all-snapshots', environment: log.environment, indices: log.taken },
          { claim: 'all-about', subject: `environment=${log.environment}`, from: '2999-01-01', indices: [] },
          { claim: 'nothing-about', subject: `artifact=${makeFingerprint('f')}` },
        ],
      }),
    )
    expect(await verifyFolder(log.folder, { policy: log.policy, claims })).toMatchObject({ verdict: 'shown' })
    expect(() => parseClaims('{"claims": [{"claim": "everything-is-fine"}]}')).toThrow(/Claim 1 is not one/)
  })
})

describe('the folder of a log', () => {
  it('grows with the log: existing files are not downloaded again', async () => {
    const folder = makeScratchFolder()
    const first = await fetchInto(log.app, folder)
    const again = await fetchInto(log.app, folder)
    expect([first.bodies, again.files, again.bodies]).toEqual([first.size, 0, 0])
    await addEvents(log.app, 250)
    const grown = await fetchInto(log.app, folder)
    expect(grown.bodies).toBe(250)
    expect(readdirSync(join(folder, 'checkpoints'))).toEqual([String(first.size)])
    expect(readdirSync(join(folder, 'tile', 'entries')).sort()).toEqual(['000', '001', '002.p'])
    expect(readdirSync(join(folder, 'bodies')).sort()).toEqual(['000', '001', '002.p'])
    const seen = new Map([['kept', log.checkpoint]])
    const { verdict } = await verifyFolder(folder, { policy: log.policy, seen })
    expect(verdict).toBe('shown')
  })

  it.each([
    ['a shorter log', (size: number) => size - 10, /^The server shows \d+ leaves, and the folder has \d+\./],
    ['a log that was rewritten', (size: number) => size + 10, /^The log was rewritten: the \d+ leaves/],
  ])('takes nothing of %s, and keeps what the server signed', async (_, choose, sentence) => {
    const altered = alterLog(log)
    const { size } = await fetchInto(log.app, makeScratchFolder())
    while (altered.copy.leaves.length < choose(size) + 15) appendLeaf(altered.copy, 'org_exported', {})
    altered.copy.leaves = altered.copy.leaves.slice(0, size > choose(size) ? size + 10 : size - 5)
    await altered.resign()
    const before = readFileSync(join(altered.folder, 'checkpoint'), 'utf8')
    await expect(fetchInto(log.app, altered.folder)).rejects.toThrow(sentence)
    expect(readFileSync(join(altered.folder, 'checkpoint'), 'utf8')).toBe(before)
    expect(readdirSync(join(altered.folder, 'refused'))).toEqual([`checkpoint-${size}`])
  })
})

describe('waybill verify', () => {
  const run = (...args: string[]) => runProgram(['verify', ...args], { data_dir: makeDataDirectory() })
  const vkey = () => formatVerifierKey(log.keys[0] as SignerKey)

  it('exits with 0 and answers if everything passes', async () => {
    const { code, stdout } = await run(log.folder, '--vkey', vkey(), '--artifact', ARTIFACT)
    expect(code).toBe(0)
    expect(stdout).toContain(`W0 note: ${W0.text}`)
    expect(stdout).toContain(`All attestations of artifact ${ARTIFACT}: 2 leaves, and there are no others`)
    expect(stdout).toContain(`  leaf ${log.attested[0]}: artifact_attestation_reported, recorded 20`)
    expect(stdout).toMatch(/All of this is shown\.\n$/)
  })

  it('exits with 1 and names the leaf if something is false', async () => {
    const altered = alterLog(log)
    altered.edit('bodies/000', content =>
      Buffer.from(content.toString().replace('"org_created', '"org_changed')),
    )
    const { code, stdout } = await run(altered.folder, '--vkey', vkey())
    expect(code).toBe(1)
    expect(stdout).toMatch(/^V10 the body of leaf \d+ \(org_created\) is not what was recorded$/m)
    const { code: also, stdout: json } = await run(altered.folder, '--vkey', vkey(), '--json')
    expect([also, JSON.parse(json).verdict]).toEqual([1, 'false'])
  })

  it.each([
    ['no key', [], 'Name the key that you trust, with either --vkey or --policy'],
    ['a key that is none', ['--vkey', 'x'], "'x' is not a verifier key"],
    ['a file that is not there', ['--policy', '/no/such/file'], 'There is no file /no/such/file'],
    ['a time that is none', ['--vkey', 'KEY', '--from', 'soon'], "'soon' is not a time"],
    ['a subject that is none', ['--vkey', 'KEY', '--about', 'x'], "'x' is not a subject"],
  ])('exits with 2 for %s', async (_, args, sentence) => {
    const { code, stdout } = await run(log.folder, ...args.map(arg => (arg === 'KEY' ? vkey() : arg)))
    expect(code).toBe(2)
    expect(stdout).toContain(`It cannot be judged: ${sentence}`)
  })

  it('exits with 2 for an empty folder', async () => {
    const { code, stdout } = await run(makeScratchFolder(), '--vkey', vkey())
    expect([code, stdout]).toEqual([2, expect.stringContaining('V2 the folder has no file `checkpoint`')])
  })
})
