import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFile, startTestApp, type TestApp } from '../../../test/harness.ts'

const NO_PERMISSION = { message: "You don't have permission to access this resource" }
const TEMPLATE = `version: 1
trail:
  attestations:
    - name: review
      type: pull_request
  artifacts:
    - name: image
      attestations:
        - name: tests
          type: junit
`

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())

function putFlow(data: unknown, template?: string) {
  const parts = { data_json: typeof data === 'string' ? data : JSON.stringify(data) }
  const sent = template === undefined ? parts : { ...parts, template_file: makeFile(template) }
  return app.member.form('PUT', '/flows/acme/template_file', sent)
}

const readTemplate = async (name: string) => (await app.reader.get(`/flows/acme/${name}`)).body.template

async function readStored() {
  const [row] = await app.sql(`select (select count(*)::int from flows) as flows,
    (select count(*)::int from templates) as templates, (select count(*)::int from events) as events`)
  return row
}

describe('201', () => {
  it('creates the flow with the template as it was sent', async () => {
    const { status, body } = await putFlow(
      { name: 'built', description: 'Builds', visibility: 'public' },
      TEMPLATE,
    )
    expect(status).toBe(201)
    expect(body).toBe('OK')
    expect((await app.reader.get('/flows/acme/built')).body).toMatchObject({
      description: 'Builds',
      visibility: 'public',
      template: TEMPLATE,
    })
    expect((await app.readEvents('flow_created')).at(-1)).toEqual({
      kind: 'flow_created',
      actor: 'max',
      data: { flow_name: 'built' },
    })
  })

  it('keeps templates apart that differ in a single letter', async () => {
    const other = TEMPLATE.replace('name: tests', 'name: texts')
    await putFlow({ name: 'one-letter' }, TEMPLATE)
    await putFlow({ name: 'another-letter' }, other)
    expect(await readTemplate('one-letter')).toBe(TEMPLATE)
    expect(await readTemplate('another-letter')).toBe(other)
  })

  it('creates it without a file and without a description', async () => {
    expect((await putFlow({ name: 'bare' })).status).toBe(201)
    expect((await app.reader.get('/flows/acme/bare')).body).toMatchObject({
      description: '',
      visibility: 'private',
      template: 'version: 1',
    })
  })

  it.each(['', ' \n\n'])('treats an empty file (%j) as the empty template', async content => {
    const name = `blank-${content.length}`
    expect((await putFlow({ name }, content)).status).toBe(201)
    expect(await readTemplate(name)).toBe('version: 1')
  })

  it('accepts JSON instead of a form, with the legacy list', async () => {
    const sent = { name: 'json', description: '', template: ['artifact', 'tests'] }
    expect((await app.member.put('/flows/acme/template_file', sent)).status).toBe(201)
    expect(await readTemplate('json')).toContain('name: tests')
  })

  it('stores equal templates once', async () => {
    await putFlow({ name: 'twin-1' }, TEMPLATE)
    await putFlow({ name: 'twin-2' }, TEMPLATE)
    const rows = await app.sql('select count(*)::int as n from templates where content = $1', [TEMPLATE])
    expect(rows).toEqual([{ n: 1 }])
  })
})

describe('200', () => {
  it('replaces the template, and keeps it when no file is sent', async () => {
    await putFlow({ name: 'replaced', description: 'stays' }, TEMPLATE)
    const other = TEMPLATE.replace('junit', 'generic')
    expect((await putFlow({ name: 'replaced' }, other)).status).toBe(200)
    expect(await readTemplate('replaced')).toBe(other)
    expect((await app.readEvents('flow_updated')).at(-1)?.data).toEqual({
      flow_name: 'replaced',
      changes: ['template'],
      revived: false,
    })
    expect((await putFlow({ name: 'replaced', visibility: 'public' })).status).toBe(200)
    expect((await app.reader.get('/flows/acme/replaced')).body).toMatchObject({
      template: other,
      visibility: 'public',
      description: 'stays',
    })
  })

  it('does not touch existing trails', async () => {
    await putFlow({ name: 'pinned' }, TEMPLATE)
    await app.member.put('/trails/acme/pinned', { name: 'old' })
    await putFlow({ name: 'pinned' }, 'version: 1')
    await app.member.put('/trails/acme/pinned', { name: 'new' })
    const readContent = async (trail: string) =>
      (await app.reader.get(`/trails/acme/pinned/${trail}`)).body.template.content
    expect(await readContent('old')).toBe(TEMPLATE)
    expect(await readContent('new')).toBe('version: 1')
  })
})

describe('400', () => {
  it('says what is wrong with an attestation type, for people and for the clients that compare it', async () => {
    const before = await readStored()
    const bad = 'version: 1\ntrail:\n  attestations:\n    - name: x\n      type: not-supported\n'
    const { status, body } = await putFlow({ name: 'ok' }, bad)
    expect(status).toBe(400)
    expect(body.message).toBe('Input payload validation failed')
    expect(body.errors['template.trail.attestations[0].type']).toMatch(/^line 5, column 13: Input should be /)
    expect(body.errors.template_file).toMatch(/^2 validation errors for Template\n/)
    expect(await readStored()).toEqual(before)
  })

  it.each([
    ['not YAML', 'version: [1'],
    ['a tab for indentation', 'version: 1\ntrail:\n\tattestations: []\n'],
    ['two documents', 'version: 1\n---\nversion: 1\n'],
    ['unknown keys', 'version: 1\nextra: true\n'],
    ['a scalar', 'hello'],
    [
      'an empty attestation name',
      'version: 1\ntrail:\n  attestations:\n    - name: ""\n      type: generic\n',
    ],
  ])('refuses a template that is %s and stores nothing', async (_, template) => {
    const before = await readStored()
    const { status, body } = await putFlow({ name: 'ok' }, template)
    expect(status).toBe(400)
    expect(body.message).toBe('Input payload validation failed')
    expect(body.errors.template_file).toMatch(/^\d+ validation errors for Template\n/)
    expect(await readStored()).toEqual(before)
  })

  it('refuses a file that is not text', async () => {
    const binary = new Blob([new Uint8Array([0x76, 0xff, 0xfe])])
    const parts = { data_json: '{"name":"ok"}', template_file: binary }
    const { status, body } = await app.member.form('PUT', '/flows/acme/template_file', parts)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ template_file: 'Text is not valid UTF-8' })
  })

  it('refuses a list and a file together', async () => {
    const { status, body } = await putFlow({ name: 'ok', template: ['tests'] }, TEMPLATE)
    expect(status).toBe(400)
    expect(body.errors).toEqual({ template: 'Give either template or template_file, not both' })
  })

  it('names the part in the path of a bad field', async () => {
    const { body } = await putFlow({ name: 'my flow', visibility: 'open' })
    expect(body.errors).toEqual({
      'data_json.name': String.raw`String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\.\-_~]*$' [input: my flow]`,
      'data_json.visibility': "Input should be 'public' or 'private' [input: open]",
    })
  })
})

describe('403', () => {
  it.each(['reader', 'snapshotter'] as const)('refuses a %s and stores nothing', async role => {
    const before = await readStored()
    const parts = { data_json: '{"name":"not-mine"}', template_file: makeFile(TEMPLATE) }
    const { status, body } = await app[role].form('PUT', '/flows/acme/template_file', parts)
    expect(status).toBe(403)
    expect(body).toEqual(NO_PERMISSION)
    expect(await readStored()).toEqual(before)
  })
})
