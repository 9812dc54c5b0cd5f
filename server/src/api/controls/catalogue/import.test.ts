import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addControl } from '../../../../test/controls.ts'
import { makeFile, startTestApp, type TestApp, type TestResponse } from '../../../../test/harness.ts'
import { listStatements } from '../../../../test/statement-log.ts'

const OSCAL = readFileSync(
  new URL('../../../domain/control/cases/oscal-catalogue.json', import.meta.url),
  'utf8',
)

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.stop())
beforeEach(async () => {
  await app.sql('truncate controls, control_versions, idempotency_keys cascade')
  await app.sql("delete from events where kind like 'control%'")
})

const send = (catalogue: string, more: Record<string, unknown> = {}) =>
  app.admin.post('/control-catalogue/acme', { catalogue, ...more })
const makeYaml = (...controls: string[]) =>
  `version: 1\ncontrols:\n${controls.map(one => `  - ${one}\n`).join('')}`
const getCounts = ({ body }: TestResponse) => {
  const { controls: _, dry_run: __, ...rest } = body
  return rest
}
const NONE = { created: 0, updated: 0, archived: 0, unarchived: 0, unchanged: 0 }
const readStored = () =>
  app.sql(
    'select identifier, name, description, links, tags, version, archived_at is not null as archived from controls order by identifier',
  )
const readHistory = () =>
  app.sql(`select c.identifier, v.version, v.kind, v.name, v.changed_by from control_versions v
           join controls c using (org_id, control_id) order by c.identifier, v.version`)
const readEverything = async () => [await readStored(), await readHistory(), (await app.readEvents()).length]

describe('200', () => {
  it('creates new controls, each with a version and an event, and one event for the import', async () => {
    const yaml = makeYaml(
      '{identifier: A, name: One, description: About one, links: {wiki: "https://wiki.example"}, tags: {team: blue}}',
      '{identifier: B, name: Two}',
    )
    const answer = await send(yaml)
    expect(answer.status).toBe(200)
    expect(answer.headers['waybill-beta']).toBe('?1')
    expect(answer.body).toEqual({
      ...NONE,
      dry_run: false,
      created: 2,
      controls: [
        { identifier: 'A', change: 'created' },
        { identifier: 'B', change: 'created' },
      ],
    })
    const { body } = await app.reader.get('/controls/acme/A')
    expect(body).toMatchObject({
      name: 'One',
      description: 'About one',
      links: { wiki: 'https://wiki.example' },
      tags: { team: 'blue' },
      version: 1,
      archived: false,
      created_by: 'ada',
    })
    expect((await app.reader.get('/controls/acme/A/versions')).body.versions).toMatchObject([
      { version: 1, kind: 'Created' },
    ])
    const events = (await app.readEvents()).filter(({ kind }) => kind.startsWith('control'))
    expect(events).toEqual([
      { kind: 'control_created', actor: 'ada', data: { identifier: 'A', name: 'One', version: 1 } },
      {
        kind: 'control_tagged',
        actor: 'ada',
        data: { identifier: 'A', set_tags: { team: 'blue' }, remove_tags: [] },
      },
      { kind: 'control_created', actor: 'ada', data: { identifier: 'B', name: 'Two', version: 1 } },
      {
        kind: 'control_catalogue_imported',
        actor: 'ada',
        data: { format: 'yaml', archive_missing: false, ...NONE, created: 2 },
      },
    ])
    const [about] = await app.sql(
      `select count(*)::int as events from events e join controls c using (org_id, control_id) where c.identifier = 'A'`,
    )
    expect(about).toEqual({ events: 2 })
  })

  it('edits, archives and unarchives controls that differ, and leaves the rest', async () => {
    await send(
      makeYaml(
        ...['edit', 'leave', 'back', 'same', 'tag'].map(
          id => `{identifier: ${id}, name: ${id}, tags: {a: b}}`,
        ),
      ),
    )
    await app.admin.post('/controls/acme/back/archive', null)
    app.clock.advance(1_000)
    const answer = await send(
      makeYaml(
        '{identifier: edit, name: edited}',
        '{identifier: leave, name: left, archived: true}',
        '{identifier: back, name: back, archived: false}',
        '{identifier: same, name: same}',
        '{identifier: tag, name: tag, tags: {}}',
        '{identifier: gone, name: gone, archived: true}',
      ),
    )
    expect(getCounts(answer)).toEqual({ created: 1, updated: 3, archived: 2, unarchived: 1, unchanged: 1 })
    expect(answer.body.controls).toEqual([
      { identifier: 'edit', change: 'updated' },
      { identifier: 'leave', change: 'updated' },
      { identifier: 'leave', change: 'archived' },
      { identifier: 'back', change: 'unarchived' },
      { identifier: 'same', change: 'unchanged' },
      { identifier: 'tag', change: 'updated' },
      { identifier: 'gone', change: 'created' },
      { identifier: 'gone', change: 'archived' },
    ])
    expect(
      (await readStored()).map(row => [row.identifier, row.name, row.version, row.archived, row.tags]),
    ).toEqual([
      ['back', 'back', 3, false, { a: 'b' }],
      ['edit', 'edited', 2, false, { a: 'b' }],
      ['gone', 'gone', 2, true, {}],
      ['leave', 'left', 3, true, { a: 'b' }],
      ['same', 'same', 1, false, { a: 'b' }],
      ['tag', 'tag', 1, false, {}],
    ])
    expect(
      (await readHistory()).map(row => `${row.identifier} ${row.version} ${row.kind} ${row.name}`),
    ).toEqual([
      'back 1 Created back',
      'back 2 Archived back',
      'back 3 Unarchived back',
      'edit 1 Created edit',
      'edit 2 Edited edited',
      'gone 1 Created gone',
      'gone 2 Archived gone',
      'leave 1 Created leave',
      'leave 2 Edited left',
      'leave 3 Archived left',
      'same 1 Created same',
      'tag 1 Created tag',
    ])
    const [unchanged] = await app.sql(
      `select last_modified_at < $1 as untouched from controls where identifier = 'same'`,
      [app.clock.now()],
    )
    expect(unchanged).toEqual({ untouched: true })
  })

  it('archives missing controls only on request', async () => {
    await send(makeYaml('{identifier: A, name: A}', '{identifier: B, name: B}'))
    const only = makeYaml('{identifier: A, name: A}')
    expect(getCounts(await send(only))).toEqual({ ...NONE, unchanged: 1 })
    expect(getCounts(await send(only, { archive_missing: true }))).toEqual({
      ...NONE,
      unchanged: 1,
      archived: 1,
    })
    expect(getCounts(await send(only, { archive_missing: true }))).toEqual({ ...NONE, unchanged: 1 })
    expect((await app.reader.get('/controls/acme')).body.controls).toMatchObject([{ identifier: 'A' }])
  })

  it('stores nothing in a dry run', async () => {
    await addControl(app, 'A')
    const before = await readEverything()
    const yaml = makeYaml('{identifier: A, name: other}', '{identifier: B, name: B}')
    const rehearsed = await send(yaml, { dry_run: true, archive_missing: true })
    expect(rehearsed.body).toMatchObject({ dry_run: true, created: 1, updated: 1 })
    expect(await readEverything()).toEqual(before)
    const done = await send(yaml, { archive_missing: true })
    expect(done.body).toEqual({ ...rehearsed.body, dry_run: false })
  })

  it('accepts a file with and without JSON beside it, in each format', async () => {
    const post = (parts: Record<string, string | Blob>) =>
      app.admin.form('POST', '/control-catalogue/acme', parts)
    const csv = '\ufeffidentifier,name\r\nA,One\r\n'
    expect(getCounts(await post({ catalogue_file: makeFile(csv) }))).toEqual({ ...NONE, created: 1 })
    const data_json = JSON.stringify({ format: 'yaml', archive_missing: true })
    const yaml = makeFile(makeYaml('{identifier: B, name: B}'))
    expect(getCounts(await post({ data_json, catalogue_file: yaml }))).toEqual({
      ...NONE,
      created: 1,
      archived: 1,
    })
    expect(getCounts(await post({ catalogue_file: makeFile(OSCAL) }))).toEqual({
      ...NONE,
      created: 6,
      archived: 1,
    })
    const formats = await app.readEvents('control_catalogue_imported')
    expect(formats.map(({ data }) => data.format)).toEqual(['csv', 'yaml', 'oscal'])
  })

  it('accepts an OSCAL catalog again without changing anything, and keeps other tags', async () => {
    expect(getCounts(await send(OSCAL))).toEqual({ ...NONE, created: 6, archived: 1 })
    await app.member.patch('/tags/acme/control/chg-1', { set_tags: { team: 'blue' } })
    expect(getCounts(await send(OSCAL, { format: 'oscal' }))).toEqual({ ...NONE, unchanged: 6 })
    const { body } = await app.reader.get('/controls/acme/chg-1')
    expect(body.tags).toEqual({ oscal_group: 'chg', oscal_label: 'CHG 1', team: 'blue' })
    expect(body.description).toContain('a. has every change looked at by [who reviews]')
    expect((await app.reader.get('/controls/acme/chg-2')).body).toMatchObject({ archived: true, version: 2 })
  })

  it('returns the first answer to a retry, with a file too, and stores nothing', async () => {
    const headers = { 'idempotency-key': 'import-1' }
    const body = { catalogue: makeYaml('{identifier: A, name: A}') }
    const post = (sent: unknown) => app.admin.call('POST', '/control-catalogue/acme', sent, headers)
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(body)))
    for (const answer of answers) expect(getCounts(answer)).toEqual({ ...NONE, created: 1 })
    const before = await readEverything()
    expect((await post(body)).body).toEqual(answers[0]?.body)
    expect((await post({ ...body, archive_missing: true })).status).toBe(422)
    const form = new Response(makeForm(makeYaml('{identifier: B, name: B}')))
    const type = form.headers.get('content-type') ?? ''
    const other = Buffer.from(await form.arrayBuffer())
    const sent = await app.admin.call('POST', '/control-catalogue/acme', other, {
      ...headers,
      'content-type': type,
    })
    expect(sent.status).toBe(422)
    expect(await readEverything()).toEqual(before)
  })

  it('creates each control once when several imports run at the same time', async () => {
    const yaml = makeYaml(...Array.from({ length: 50 }, (_, i) => `{identifier: C-${i}, name: C}`))
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(yaml)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.map(({ body }) => body.created).sort()).toEqual([0, 0, 0, 50])
    expect(await readHistory()).toHaveLength(50)
  })

  it('needs no more statements for two thousand controls than for one', async () => {
    const makeCsv = (n: number, name: string) =>
      `identifier,name,tags\n${Array.from({ length: n }, (_, i) => `C-${i},${name},a=${name}\n`).join('')}`
    const recordStatementsFor = (catalogue: string) =>
      listStatements(app, async () => {
        expect((await send(catalogue)).status).toBe(200)
      })
    const [created, edited] = [
      await recordStatementsFor(makeCsv(1, 'one')),
      await recordStatementsFor(makeCsv(1, 'two')),
    ]
    await app.sql('truncate controls, control_versions cascade')
    expect(await recordStatementsFor(makeCsv(2_000, 'one'))).toEqual(created)
    expect(await recordStatementsFor(makeCsv(2_000, 'two'))).toEqual(edited)
    expect(await app.sql('select count(*)::int as versions from control_versions')).toEqual([
      { versions: 4_000 },
    ])
    expect(
      await app.sql(`select count(*)::int as events from events where kind = 'control_updated'`),
    ).toEqual([{ events: 2_001 }])
  })
})

function makeForm(yaml: string): FormData {
  const form = new FormData()
  form.append('catalogue_file', makeFile(yaml), 'catalogue.yaml')
  return form
}

describe('400', () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ['nothing to import', {}, 'catalogue', 'Field required'],
    [
      'another format',
      { catalogue: '', format: 'xml' },
      'format',
      "Input should be 'yaml', 'csv' or 'oscal'",
    ],
    [
      'bad YAML',
      { catalogue: 'version: 2\ncontrols: []' },
      'catalogue.version',
      'line 1, column 10: Input should be 1',
    ],
    [
      'bad CSV',
      { catalogue: 'identifier,name\na,"b' },
      'catalogue',
      'line 2, column 3: The quote is never closed',
    ],
    ['bad JSON', { catalogue: '{"catalog": ', format: 'oscal' }, 'catalogue', 'Text is not valid JSON'],
    ['bad OSCAL', { catalogue: '{"catalog": {}}' }, 'catalog.metadata', 'Field required'],
    [
      'YAML that is declared as CSV',
      { catalogue: 'version: 1', format: 'csv' },
      'catalogue.identifier',
      'Column required',
    ],
    ['a key twice', { catalogue: '{"catalog": 1, "catalog": 2}' }, 'catalogue', 'same key twice'],
    [
      'a NUL',
      { catalogue: 'version: 1\ncontrols:\n- {identifier: a, name: "\\0"}' },
      'catalogue.controls[0].name',
      'NUL',
    ],
    ['a YAML bomb', { catalogue: `a: &a x\nb: [${'*a,'.repeat(60)}]` }, 'catalogue', 'at most 50 aliases'],
  ])('for %s', async (_, body, path, sentence) => {
    const before = await readEverything()
    const answer = await app.admin.post('/control-catalogue/acme', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors[path]).toContain(sentence)
    expect(await readEverything()).toEqual(before)
  })

  it('for one bad control among good ones, and none is stored', async () => {
    const before = await readEverything()
    const answer = await send(
      makeYaml('{identifier: A, name: A}', '{identifier: A, name: B}', '{identifier: "b c", name: C}'),
    )
    expect(answer.status).toBe(400)
    expect(answer.body.errors['catalogue.controls[1].identifier']).toMatch(/^line 4, .*line 3 already has it/)
    expect(answer.body.errors['catalogue.controls[2].identifier']).toContain('line 5')
    expect(answer.body.errors.catalogue_file).toContain('2 validation errors for Catalogue')
    expect(await readEverything()).toEqual(before)
  })

  it.each([
    [
      'a file and a text',
      { data_json: '{"catalogue": ""}', catalogue_file: makeFile('') },
      'catalogue_file',
      'once',
    ],
    ['no file', { data_json: '{}' }, 'catalogue', 'Field required'],
    [
      'a file that is not text',
      { catalogue_file: new Blob([Buffer.from([0xff, 0xfe])]) },
      'catalogue_file',
      'UTF-8',
    ],
    ['another part', { other: makeFile('') }, 'other', 'Extra inputs'],
    [
      'JSON that is wrong',
      { data_json: '{"dry_run": 1}', catalogue_file: makeFile('') },
      'data_json.dry_run',
      'boolean',
    ],
  ])('for a form with %s', async (_, parts, path, sentence) => {
    const answer = await app.admin.form(
      'POST',
      '/control-catalogue/acme',
      parts as Record<string, string | Blob>,
    )
    expect(answer.status).toBe(400)
    expect(answer.body.errors[path]).toContain(sentence)
  })
})

describe('403', () => {
  it.each(['member', 'snapshotter', 'reader'] as const)('for a %s, dry run or not', async role => {
    const catalogue = makeYaml('{identifier: A, name: A}')
    for (const dry_run of [true, false]) {
      expect((await app[role].post('/control-catalogue/acme', { catalogue, dry_run })).status).toBe(403)
    }
    expect(await readStored()).toEqual([])
  })
})

it('touches no control of another organization', async () => {
  const catalogue = makeYaml('{identifier: A, name: theirs}')
  expect((await app.outsider.post('/control-catalogue/other-corp', { catalogue })).status).toBe(200)
  expect(getCounts(await send(makeYaml('{identifier: B, name: ours}'), { archive_missing: true }))).toEqual({
    ...NONE,
    created: 1,
  })
  expect((await app.outsider.get('/controls/other-corp')).body.controls).toMatchObject([
    { name: 'theirs', archived: false },
  ])
})
