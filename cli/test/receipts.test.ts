// Receipts of writes: each is checked and kept when the service answers.
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { formatVerifierKey, generateKey } from '@waybill/transparency-log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Call } from '../src/http/call.ts'
import { keepReceipt, readKnown } from '../src/receipts/keep.ts'
import { readReceipts } from './read-receipts.ts'
import { serveCli } from './served-cli.ts'

const NOWHERE = 'http://127.0.0.1:1'
const QUICK = '--timeout 1 --max-api-retries 0'
const CI_JOB = {
  GITHUB_ACTIONS: 'true',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: 'build',
  GITHUB_ACTION: '__run',
}

let number = 0
/** A service that accepts everything and has no log. */
let plain: Server

const served = serveCli({ role: 'admin' }, async ({ cli }) => {
  writeFileSync(join(cli.folder, 'report.txt'), 'all is well')
  writeFileSync(
    join(cli.folder, 'policy.yml'),
    '_schema: https://waybill.dev/schemas/policy/environment/v1\n',
  )
  for (const line of ['create flow app --use-empty-template', 'begin trail t --flow app'])
    expect(await cli.run(line), line).toMatchObject({ code: 0, stderr: '' })
})

beforeAll(async () => {
  plain = createServer((_, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end('"OK"')
  })
  await new Promise<void>(resolve => plain.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void plain.close())

/** Each test has its own file. */
function openFile() {
  const { cli } = served
  const path = join(cli.folder, `receipts-${++number}.jsonl`)
  return {
    path,
    read: () => readReceipts(path),
    list: () => readReceipts(path).kept.map(({ receipt }) => receipt),
    run: (line: string, env: Record<string, string> = {}) =>
      cli.run(line, { env: { WAYBILL_RECEIPTS: path, ...env } }),
  }
}

async function readKind(index: number): Promise<string> {
  const { body } = await served.app.reader.get(`/log/acme/leaf?index=${index}`)
  return body.kind
}

describe('every write', () => {
  it.each([
    ['begin trail written --flow app', 'trail_reported'],
    ['attest generic --name spooled --flow app --trail t', 'trail_attestation_reported'],
    ['attest generic --name direct --flow app --trail t --spool off', 'trail_attestation_reported'],
    ['create environment prod --type server', 'environment_created'],
    ['snapshot path prod --name app --path report.txt', 'snapshot_taken'],
    [`allow artifact --fingerprint ${'a'.repeat(64)} --environment prod --reason x`, 'artifact_allow_listed'],
    ['tag flow app --set team=a', 'flow_tagged'],
    ['create service-account ci --description x --privilege member', 'service_account_created'],
    ['create api-key --service-account ci --description x', 'api_key_created'],
    ['delete service-account ci --assume-yes', 'service_account_deleted'],
  ])('%s', async (line, kind) => {
    const { run, list } = openFile()
    expect(await run(line)).toMatchObject({ code: 0, stderr: '' })
    const [receipt] = list()
    expect(await readKind(receipt?.index ?? -1)).toBe(kind)
    expect(receipt?.body).toContain(`"kind": "${kind}"`)
    expect(await run('verify receipts')).toMatchObject({ code: 0 })
  })

  it('that waited is kept by the command that delivers it', async () => {
    const { run, list } = openFile()
    const spool = join(served.cli.folder, 'waiting')
    const env = { WAYBILL_SPOOL_DIR: spool }
    await run(`attest generic --name waited --flow app --trail t ${QUICK}`, { ...env, WAYBILL_HOST: NOWHERE })
    expect(() => list()).toThrow('ENOENT')
    const [id = ''] = readdirSync(join(spool, 'queue'))
    const entry = join(spool, 'queue', id, 'request.json')
    const host = served.cli.env.WAYBILL_HOST
    writeFileSync(entry, JSON.stringify({ ...JSON.parse(readFileSync(entry, 'utf8')), host }))
    expect(await run('spool flush', env)).toMatchObject({ code: 0, stderr: '' })
    expect(list().map(({ request }) => request)).toEqual(['POST /attestations/acme/app/trail/t/generic'])
  })

  it('that repeats an earlier one gets the receipt of the earlier leaf', async () => {
    const { run, list } = openFile()
    const line = 'attest generic --name repeated --flow app --trail t'
    const spools = ['one', 'two'].map(name => join(served.cli.folder, name))
    for (const WAYBILL_SPOOL_DIR of spools)
      expect(await run(line, { ...CI_JOB, WAYBILL_SPOOL_DIR })).toMatchObject({ code: 0 })
    const [first, again] = list()
    expect(again?.index).toBe(first?.index)
    expect(again?.body).toBe(first?.body)
    expect(await run('verify receipts')).toMatchObject({ code: 0 })
  })

  it('whose body does not fit into a header is checked all the same', async () => {
    const { run, list } = openFile()
    const names = Array.from({ length: 10 }, (_, i) => `evidence-${i}.txt`)
    for (const name of names) writeFileSync(join(served.cli.folder, name), name)
    const line = `attest generic --name many --flow app --trail t --attachments ${names.join(',')}`
    expect(await run(line)).toMatchObject({ code: 0, stderr: '' })
    expect(list()[0]?.body).toContain('evidence-9.txt')
  })

  it('that records nothing has none, nor has one with --no-receipts', async () => {
    const { run, list } = openFile()
    for (const line of ['begin trail t --flow app', 'tag flow app --set team=b --no-receipts'])
      expect(await run(line), line).toMatchObject({ code: 0 })
    expect(() => list()).toThrow('ENOENT')
  })
})

describe('a write does not fail', () => {
  it('if the disk is full: one line says that its receipt was not kept', async () => {
    const { run } = openFile()
    const { code, stderr } = await run('tag flow app --set full=a --receipts /dev/full')
    expect(code).toBe(0)
    expect(stderr).toMatch(/^No receipt of PATCH \/tags\/acme\/flow\/app was kept: ENOSPC.*\n$/)
  })

  it('if the service has no log: one line says so', async () => {
    const { run } = openFile()
    const url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`
    const { code, stderr } = await run('tag flow app --set none=a', { WAYBILL_HOST: url })
    expect(code).toBe(0)
    expect(stderr).toBe(
      'No receipt: the service has no log, or is too old to prove it. --no-receipts asks for none.\n',
    )
  })
})

describe('the file', () => {
  it('is beside the spool, and only its owner can read it', async () => {
    const { cli } = served
    await cli.run('tag flow app --set beside=a')
    expect(statSync(join(cli.folder, 'receipts.jsonl')).mode & 0o777).toBe(0o600)
  })

  it('is shared by several processes', async () => {
    const { run, list, read } = openFile()
    const names = Array.from({ length: 8 }, (_, i) => `shared-${i}`)
    await Promise.all(names.map(name => run(`attest generic --name ${name} --flow app --trail t`)))
    await run('spool flush')
    expect(read().broken).toEqual([])
    expect(new Set(list().map(({ index }) => index)).size).toBe(names.length)
    expect(await run('verify receipts')).toMatchObject({ code: 0 })
  })

  it('survives a process that was killed while it wrote', async () => {
    const { path, run, read, list } = openFile()
    await run('tag flow app --set torn=a')
    const [line = ''] = readFileSync(path, 'utf8').split('\n')
    appendFileSync(path, line.slice(0, 300))
    await run('tag flow app --set torn=b')
    expect(list()).toHaveLength(2)
    expect(read().broken).toEqual([{ line: 2, is_torn: true }])
    const { code, stdout } = await run('verify receipts')
    expect([code, stdout]).toEqual([0, expect.stringContaining('note: line 2 is cut off')])
  })

  it('may be long: the receipt before is found wherever it is', async () => {
    const { path, run, read } = openFile()
    await run('tag flow app --set long=a')
    const [line = ''] = readFileSync(path, 'utf8').split('\n')
    const other = `${JSON.stringify({ ...JSON.parse(line), org: 'other', origin: 'elsewhere/log/x/1', vkey: null, proof: null })}\n`
    const edited = { ...JSON.parse(line), tag_key_sha256: 'ab' }
    // More than what is read at once, with a line that is longer than that.
    const long = `${'x'.repeat(1_500_000)}\n`
    writeFileSync(path, `${JSON.stringify(edited)}\n${other.repeat(400)}${long}${other.repeat(400)}`)
    const { stderr } = await run('tag flow app --set long=b')
    expect(stderr).toContain('uses another tag key for this log than before')
    const { kept, broken } = read()
    expect(kept.map(each => each.line)).toEqual([...Array(803).keys()].map(i => i + 1).filter(i => i !== 402))
    expect(broken).toEqual([{ line: 402, is_torn: false }])
  })

  it('is made with its folder', async () => {
    const { run } = openFile()
    const { stderr } = await run('tag flow app --set deep=a --receipts new/folder/r.jsonl')
    expect(stderr).toBe('')
    expect(readReceipts(join(served.cli.folder, 'new/folder/r.jsonl')).kept).toHaveLength(1)
  })
})

describe('a service that says something else than it recorded, or recorded something else', () => {
  const json = { attestation_name: 'said', is_compliant: true }
  const call: Call = { method: 'POST', path: '/attestations/acme/app/trail/t/generic', json }

  async function send(): Promise<Answer> {
    const prefer = 'waybill-proof, waybill-leaf'
    const { status, headers } = await served.app.admin.call('POST', call.path, json, { prefer })
    return { status, headers: headers as Record<string, string>, bytes: Buffer.alloc(0), json: 'OK' }
  }

  /** The warnings about a response. */
  async function keep(answer: Answer, sent: Call = call, path = openFile().path): Promise<string> {
    let warnings = ''
    const where = { file: path, host: 'http://127.0.0.1' }
    const outcome = await keepReceipt(
      { call: sent, answer, known: readKnown(sent, where) },
      {
        ...where,
        api: { call: () => expect.fail('nothing else is requested') },
        now_ms: () => 0,
        say: text => expect.fail(text),
        warn: text => {
          warnings += text
        },
      },
    )
    if (outcome === 'kept') expect(readReceipts(path).broken).toEqual([])
    return warnings
  }

  const change = (answer: Answer, name: string, edit: (value: string) => string): Answer => ({
    ...answer,
    headers: { ...answer.headers, [name]: edit(answer.headers[name] ?? '') },
  })
  const replaceMember = (member: string, value: string) => (header: string) =>
    header.replace(new RegExp(`${member}="[^"]*"`), `${member}="${value}"`)
  const decode = ({ headers }: Answer) =>
    Buffer.from(headers['waybill-log-proof'] ?? '', 'base64url').toString()
  const ZEROS = Buffer.alloc(32).toString('base64')
  const pack = (body: string) => deflateRawSync(body).toString('base64')

  it('is believed if everything fits', async () => {
    expect(await keep(await send())).toBe('')
  })

  it.each<[string, string, (header: string) => string, RegExp]>([
    [
      'another body',
      'waybill-log-leaf',
      replaceMember('body', pack('{"kind": "x"}')),
      /leaf, salt and body are not/,
    ],
    ['another salt', 'waybill-log-leaf', replaceMember('salt', ZEROS), /leaf, salt and body are not/],
    ['other tags', 'waybill-log-leaf', replaceMember('tags', ''), /leaf, salt and body are not/],
    [
      'another tag key',
      'waybill-log-leaf',
      replaceMember('tag-key', ZEROS),
      /the tags of leaf \d+ .* do not fit/,
    ],
    ['another leaf', 'waybill-log', replaceMember('leaf', ZEROS), /proof does not show/],
    [
      'another place',
      'waybill-log',
      header => header.replace(/index=\d+/, 'index=0'),
      /its proof is of leaf/,
    ],
  ])('%s', async (_, header, edit, expected) => {
    expect(await keep(change(await send(), header, edit))).toMatch(expected)
  })

  it('nothing of a write that is always recorded, or of the log that it had', async () => {
    const { path } = openFile()
    const answer = await send()
    const silent = { ...answer, headers: { 'preference-applied': 'waybill-proof' } }
    expect(await keep(silent)).toBe(
      `WARNING: the service says that POST ${call.path} recorded nothing. Ask the operator why.`,
    )
    expect(await keep(silent, { method: 'PUT', path: '/trails/acme/app' })).toBe('')
    const bare = { ...answer, headers: {} }
    expect(await keep(bare, call, path)).toBe('')
    await keep(answer, call, path)
    expect(await keep(bare, call, path)).toBe(
      `WARNING: the service shows no log any more, and ${path} has receipts of one. Ask the operator why.`,
    )
  })

  it('a place that no receipt can name', async () => {
    const answer = change(await send(), 'waybill-log', header =>
      header.replace(/index=\d+/, `index=${'9'.repeat(16)}`),
    )
    await expect(keep(answer)).rejects.toThrow('The header Waybill-Log cannot be read')
  })

  it('another key than the one that signs', async () => {
    const answer = await send()
    const [, origin = ''] = /\n\n(.*)\n/.exec(decode(answer)) ?? []
    const vkey = formatVerifierKey(generateKey(origin, 'note'))
    const edit = replaceMember(', key', vkey.slice(origin.length + 1))
    expect(await keep(change(answer, 'waybill-log-leaf', edit))).toMatch(
      /signed by [0-9a-f]{8}, and nothing shows that this key took over from [0-9a-f]{8}/,
    )
  })

  it('what was recorded is not what was sent', async () => {
    const answer = await send()
    for (const [sent, warning] of [
      [
        { json: { ...json, is_compliant: false } },
        'the command sent is_compliant false, and true was recorded',
      ],
      [{ json: { ...json, attestation_name: 'other' } }, 'the command sent attestation_name "other"'],
      [
        { json: { ...json, artifact_fingerprint: 'ab' } },
        'sent artifact_fingerprint "ab", and null was recorded',
      ],
    ] as const)
      expect(await keep(answer, { ...call, ...sent })).toContain(warning)
    const content = { bytes: Buffer.from('x') }
    const file = { name: 'f', filename: 'lost.txt', content_type: 'text/plain', sha256: 'ab', content }
    expect(await keep(answer, { ...call, parts: [file] })).toContain(
      'the file lost.txt (SHA-256 ab), which was not',
    )
  })

  it('the log of the organization is another than before, or its tag key', async () => {
    const { path } = openFile()
    const answer = await send()
    await keep(answer, call, path)
    const [line = ''] = readFileSync(path, 'utf8').split('\n')
    const before = JSON.parse(line)
    const elsewhere = { origin: 'elsewhere/log/x/1', proof: null, vkey: null }
    writeFileSync(path, `${JSON.stringify({ ...before, ...elsewhere })}\n`)
    expect(await keep(answer, call, path)).toContain('the organization had the log elsewhere/log/x/1 before')
    writeFileSync(path, `${JSON.stringify({ ...before, body: 'x' })}\n`)
    expect(await keep(answer, call, path)).toContain(`the receipt before it in ${path} is not in order`)
    writeFileSync(path, `${JSON.stringify({ ...before, tag_key_sha256: 'ab' })}\n`)
    expect(await keep(answer, call, path)).toContain('uses another tag key for this log than before')
  })
})
