// `apply` and `export` against a real service: from an empty organization to one that matches the files.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { buildControlPolicy } from '../../server/test/controls.ts'
import { serveCli } from './served-cli.ts'

const TEMPLATE = 'version: 1\ntrail:\n  attestations:\n    - name: review\n      type: pull_request\n'
const indent = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

const KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'cluster-1',
  alg: 'EdDSA',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}

/** References and their users are in the same folder: the order of the files does not matter. */
const DOCUMENTS = {
  environment:
    'kind: environment\nname: prod\ntype: K8S\npolicies: [strict]\nexpected_report_interval: 300\n---\n' +
    'kind: environment\nname: everywhere\ntype: logical\nincluded_environments: [prod]\n---\n' +
    'kind: environment\nname: quiet\ntype: server\npolicies: []\nexpected_report_interval: never\n',
  policy: `kind: policy\nname: strict\npolicy_yaml: |\n${indent(buildControlPolicy('C-1'))}`,
  flow: `kind: flow\nname: backend-ci\ndescription: Builds the backend\ntemplate: |\n${indent(TEMPLATE)}`,
  types:
    'kind: attestation-type\nname: coverage\ndescription: Coverage of the tests\n' +
    'type_schema: {type: object, required: [lines]}\n' +
    "evaluator: {content_type: jq, rules: ['.lines >= 80']}\n" +
    'summary: [{name: Lines, expression: .lines}]\n',
  control:
    "kind: control\nidentifier: C-1\nname: Changes are reviewed\nlinks: {law: 'https://example.com/law'}\n",
  trust:
    'kind: trust-rule\nname: cluster\nissuer: https://cluster.example.com\nissuer_kind: kubernetes\n' +
    'audience: https://waybill.example.com/acme\n' +
    "claims: {sub: 'system:serviceaccount:waybill:reporter'}\n" +
    `jwks: ${JSON.stringify({ keys: [KEY] })}\nprivilege: snapshotter\nflow_name: backend-ci\n`,
  ownership:
    "kind: ownership\nname: us\nmanages:\n  flow: ['*-ci']\n  policy: ['*']\n  environment: ['*']\n  trust-rule: ['*']\n",
}
const ALL_NAMES = [
  'control C-1',
  'attestation-type coverage',
  'flow backend-ci',
  'policy strict',
  'environment prod',
  'environment quiet',
  'environment everywhere',
  'trust-rule cluster',
]

const served = serveCli({ role: 'admin' })
let folder: string

const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.yml`), text)

beforeEach(() => {
  folder = join(served.cli.folder, 'files')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'below'), { recursive: true })
  for (const [name, text] of Object.entries(DOCUMENTS)) write(name === 'flow' ? 'below/flow' : name, text)
  writeFileSync(join(folder, 'README.md'), 'Not a document')
})

const run = (line: string, input?: string) => served.cli.run(line, input === undefined ? {} : { input })

describe('apply', () => {
  it('plans everything, and changes nothing', async () => {
    const planned = await run('apply -f files --plan')
    expect(planned, planned.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(planned.stdout).toContain(
      `+ create flow backend-ci (${join('files', 'below', 'flow.yml')}, document 1)\n`,
    )
    expect(planned.stdout).toMatch(/\n8 to create\n$/)
    expect((await run('apply -f files --plan --quiet')).stdout).toBe(`${ALL_NAMES.join('\n')}\n`)
    expect(await run('apply -f files --plan --exit-code')).toMatchObject({ code: 4 })
    expect((await run('apply -f files --dry-run')).stdout).toBe(planned.stdout)
    expect((await run('list flows --quiet')).stdout.trim()).toBe('')
  })

  it('creates everything in an order that the service accepts, and then has nothing to change', async () => {
    const applied = await run('apply -f files')
    expect(applied, applied.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(applied.stdout).toBe(`${ALL_NAMES.map(name => `+ created ${name}\n`).join('')}8 created\n`)
    const receipts = readFileSync(join(served.cli.folder, 'receipts.jsonl'), 'utf8')
    expect(receipts.trimEnd().split('\n')).toHaveLength(ALL_NAMES.length)
    expect(await run('apply -f files')).toEqual({
      code: 0,
      stdout: 'Nothing to change: 8 unchanged\n',
      stderr: '',
    })
    expect(await run('apply -f files --plan --exit-code')).toMatchObject({ code: 0 })
    const { body } = await served.app.admin.get('/environments/acme/prod')
    expect(body).toMatchObject({ policies: ['strict'], expected_report_interval: 300 })
    expect((await served.app.admin.get('/environments/acme/quiet')).body.expected_report_interval).toBeNull()
  })

  it('shows which fields differ, as text and as JSON, and changes only those', async () => {
    write('environment', DOCUMENTS.environment.replace('[strict]', '[]').replace('[prod]', '[prod, quiet]'))
    write(
      'below/flow',
      DOCUMENTS.flow.replace('description: Builds the backend\n', '').replace('review', 'pair'),
    )
    write('trust', DOCUMENTS.trust.replace('flow_name: backend-ci\n', ''))
    write('control', DOCUMENTS.control.replace('reviewed', 'seen'))
    const { stdout } = await run('apply -f files --plan')
    expect(stdout).toContain('    description: "Builds the backend" → ""\n')
    expect(stdout).toContain('      -     - name: review\n      +     - name: pair\n')
    expect(stdout).toContain('    policies: ["strict"] → []\n')
    expect(stdout).toContain('    flow_name: "backend-ci" → none\n')
    expect(stdout).toMatch(/\n5 to change, 3 unchanged\n$/)
    const json = JSON.parse((await run('apply -f files --plan --output json')).stdout)
    expect(json.steps.find(({ name }: { name: string }) => name === 'prod')).toEqual({
      action: 'change',
      kind: 'environment',
      name: 'prod',
      status: 'planned',
      file: join('files', 'environment.yml'),
      document: 1,
      differences: [{ field: 'policies', before: ['strict'], after: [] }],
    })
    expect((await run('apply -f files')).stdout).toMatch(/\n5 changed, 3 unchanged\n$/)
    expect((await served.app.admin.get('/environments/acme/prod')).body).toMatchObject({
      policies: [],
      expected_report_interval: 300,
    })
    expect((await served.app.admin.get('/controls/acme/C-1')).body).toMatchObject({
      name: 'Changes are seen',
      links: { law: 'https://example.com/law' },
    })
    expect((await run('apply -f files')).stdout).toBe('Nothing to change: 8 unchanged\n')
    await expectBack()
  })

  it('keeps the comment with new versions of policies', async () => {
    write('policy', `${DOCUMENTS.policy}  # Reviewed by the board\n`)
    expect(await run("apply -f files --comment 'as the board decided'")).toMatchObject({ code: 0 })
    const { versions } = (await served.app.admin.get('/policies/acme/strict')).body
    expect(versions.at(-1)).toMatchObject({ version: 2, comment: 'as the board decided' })
    expect(versions.at(-1).policy_yaml).toContain('# Reviewed by the board\n')
    await served.cli.run('apply -f files')
    write('policy', DOCUMENTS.policy)
    await expectBack()
  })

  it('stops at the first refusal, reports what was done, and does the rest the next time', async () => {
    write('types', DOCUMENTS.types.replace('.lines >= 80', '.lines >= '))
    write('control', DOCUMENTS.control.replace('reviewed', 'read'))
    write('below/flow', DOCUMENTS.flow.replace('Builds', 'Tests'))
    const refused = await run('apply -f files')
    expect(refused.code).toBe(2)
    expect(refused.stdout).toBe(
      '~ changed control C-1\n! failed: change attestation-type coverage\n! not done: change flow backend-ci\n' +
        '1 changed, 5 unchanged\n',
    )
    expect(refused.stderr).toContain('Error: attestation-type coverage: ')
    expect(refused.stderr).toContain('What was done stays.')
    const json = JSON.parse((await run('apply -f files --output json')).stdout)
    expect(json.steps.map(({ status }: { status: string }) => status).slice(0, 3)).toEqual([
      'done',
      'failed',
      'not done',
    ])
    write('types', DOCUMENTS.types)
    expect((await run('apply -f files')).stdout).toBe('~ changed flow backend-ci\n1 changed, 7 unchanged\n')
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    write('control', DOCUMENTS.control)
    write('flow', DOCUMENTS.flow)
    expect((await run('apply -f files')).stdout).toMatch(/\n2 changed\n$/)
  })

  it('unarchives what the documents contain', async () => {
    for (const line of ['control C-1', 'flow backend-ci', 'attestation-type coverage', 'env everywhere'])
      expect(await run(`archive ${line}`)).toMatchObject({ code: 0 })
    expect((await run('apply -f files')).stdout).toMatch(
      /^\+ restored control C-1\n\+ restored attestation-type coverage\n\+ restored flow backend-ci\n\+ restored environment everywhere\n/,
    )
    expect((await run('apply -f files')).stdout).toBe('Nothing to change: 8 unchanged\n')
  })
})

/** The organization matches the files of the first test. */
async function expectBack() {
  for (const [name, text] of Object.entries(DOCUMENTS)) write(name === 'flow' ? 'below/flow' : name, text)
  const ran = await run('apply -f files')
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
}

describe('--prune', () => {
  beforeEach(async () => {
    await served.cli.run('create flow old-ci --use-empty-template')
    await served.cli.run('create flow of-others --use-empty-template')
    rmSync(join(folder, 'trust.yml'))
  })
  const isActive = async (name: string) => (await run('list flows --quiet')).stdout.split('\n').includes(name)

  it('removes nothing without the flag', async () => {
    expect((await run('apply -f files')).stdout).toBe('Nothing to change: 7 unchanged\n')
    expect(await isActive('old-ci')).toBe(true)
  })

  it('is refused if no document declares what the files manage', async () => {
    rmSync(join(folder, 'ownership.yml'))
    const ran = await run('apply -f files --prune --yes')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('--prune: no document says what these files manage')
    expect(await isActive('old-ci')).toBe(true)
  })

  it('changes nothing at all without an answer, or after a no', async () => {
    write('control', DOCUMENTS.control.replace('reviewed', 'read'))
    const asked = await run('apply -f files --prune')
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toContain('delete trust-rule cluster\narchive flow old-ci\n')
    const declined = await run('apply -f files --prune', 'n\n')
    expect(declined).toMatchObject({ code: 0, stdout: '' })
    expect(declined.stderr).toContain('Cancelled: nothing was changed')
    expect(await isActive('old-ci')).toBe(true)
    expect((await served.app.admin.get('/controls/acme/C-1')).body.name).toBe('Changes are reviewed')
  })

  it('shows what it would remove', async () => {
    const { stdout } = await run('apply -f files --prune --plan')
    expect(stdout).toBe(
      '- delete trust-rule cluster (in no document)\n- archive flow old-ci (in no document)\n' +
        '7 unchanged, 1 to archive, 1 to delete\n',
    )
  })

  it('removes only what the files manage, after a yes', async () => {
    const ran = await run('apply -f files --prune', 'yes\n')
    expect(ran, ran.stderr).toMatchObject({
      code: 0,
      stdout: '- deleted trust-rule cluster\n- archived flow old-ci\n7 unchanged, 1 archived, 1 deleted\n',
    })
    expect(await isActive('old-ci')).toBe(false)
    expect(await isActive('of-others')).toBe(true)
    expect((await served.app.admin.get('/trust-rules/acme')).body).toEqual([])
    await expectBack()
  })

  it('is refused if a document refers to what it would remove', async () => {
    rmSync(join(folder, 'policy.yml'))
    const ran = await run('apply -f files --prune --yes')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('document 1 (environment prod): policies: policy strict would be removed')
  })
})

describe('files', () => {
  it.each([
    ['that do not exist', 'apply -f gone', '--file: gone does not exist'],
    ['without documents', 'apply -f files/empty', 'There are no documents in files/empty'],
    ['with links', 'apply -f files/links', 'is a link, and links are not followed'],
    ['that are not text', 'apply -f files/bytes.yml', 'files/bytes.yml is not UTF-8 text'],
    ['with only an owner', 'apply -f files/ownership.yml', 'There are no documents in files/ownership.yml'],
    ['without --plan but with --exit-code', 'apply -f files --exit-code', '--exit-code is for --plan'],
  ])('%s are refused', async (_, line, message) => {
    mkdirSync(join(folder, 'empty'))
    mkdirSync(join(folder, 'links'))
    symlinkSync(join(folder, 'control.yml'), join(folder, 'links', 'control.yml'))
    writeFileSync(join(folder, 'bytes.yml'), Buffer.from([0x6b, 0xff, 0xfe]))
    const ran = await run(line)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  it('with problems are refused with all of them, before anything is sent', async () => {
    write('control', DOCUMENTS.control.replace('reviewed', 'read').replace('C-1', 'C-2'))
    write('environment', DOCUMENTS.environment.replace('[prod]', '[prd]').replace('[strict]', '[strct]'))
    const ran = await run('apply -f files')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(
      `${join('files', 'environment.yml')}, document 1 (environment prod): policies: policy strct does not exist, and no document has it\n` +
        `${join('files', 'environment.yml')}, document 2 (environment everywhere): included_environments: environment prd does not exist, and no document has it\n`,
    )
    expect((await served.app.admin.get('/controls/acme/C-2')).status).toBe(404)
  })

  it('are read once if they are named twice', async () => {
    expect((await run('apply -f files,files/control.yml --plan')).code).toBe(0)
  })
})

describe('export', () => {
  it('writes files that match the service', async () => {
    await served.cli.run("create flow odd --use-empty-template --description 'a: b # c'")
    await served.app.member.put('/flows/acme', {
      name: 'old-form',
      description: '',
      template: ['artifact', 'x'],
    })
    const ran = await run('export there')
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^there\/flow\.yml +flow +\d$/m)
    expect(readdirSync(join(served.cli.folder, 'there'))).toHaveLength(6)
    expect(readFileSync(join(served.cli.folder, 'there', 'flow.yml'), 'utf8')).toContain(
      `kind: flow\nname: backend-ci\ndescription: Builds the backend\ntemplate: |\n${indent(TEMPLATE)}---\n`,
    )
    expect((await run('apply -f there --plan')).stdout).toMatch(/^Nothing to change: \d+ unchanged\n$/)
  })

  it('never overwrites a file', async () => {
    const ran = await run('export there')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/there\/\S+\.yml exists already/)
  })

  it('writes only the requested kinds', async () => {
    expect((await run('export some --kind flow,policy --quiet')).stdout).toBe(
      'some/flow.yml\nsome/policy.yml\n',
    )
    expect(await run('export more --kind flows')).toMatchObject({ code: 2 })
  })
})

describe('docs/apply.md', () => {
  it('has documents that can be applied', async () => {
    const markdown = readFileSync(join(root, 'docs', 'apply.md'), 'utf8')
    const blocks = [...markdown.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => block)
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    for (const [index, block] of blocks.entries()) write(String(index), block)
    const applied = await run('apply -f files --prune --yes')
    expect(applied, applied.stderr).toMatchObject({ code: 0, stderr: '' })
    expect(applied.stdout).toContain('+ created environment payments-everywhere\n')
    expect((await run('apply -f files --prune')).stdout).toBe('Nothing to change: 6 unchanged\n')
  })
})
