import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/harness.ts'
import { findOscalProblems } from '../../../../test/oscal.ts'
import { listStatements } from '../../../../test/statement-log.ts'

const HOSTILE = [
  {
    identifier: '-1.2~x',
    name: '=cmd|calc',
    description: 'Two\n\n  lines "quoted", and: # more\n',
    links: { 'a;b=c': 'https://x.example/ü?q=1;2#a' },
    tags: { '1': "'=1", empty: '' },
  },
  {
    identifier: 'yes',
    name: 'null',
    description: '\u2028\u0085\u007f{{ insert: param, x }}',
    links: {},
    tags: {},
  },
  {
    identifier: 'B',
    name: 'Line\nend',
    description: null,
    links: { wiki: 'https://x.example' },
    tags: { team: ' blue ' },
  },
]

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  for (const { tags, ...control } of HOSTILE) {
    expect((await app.admin.post('/controls/acme', control)).status).toBe(201)
    await app.member.patch(`/tags/acme/control/${control.identifier}`, { set_tags: tags })
  }
  await app.admin.post('/controls/acme', { identifier: 'old', name: 'Old' })
  app.clock.advance(60_000)
  await app.admin.post('/controls/acme/old/archive', null)
})
afterAll(() => app.stop())

const readEverything = async () => [
  await app.sql('select * from controls order by identifier'),
  await app.sql('select * from control_versions order by control_id, version'),
]

describe('200', () => {
  it.each([
    ['yaml', 'application/yaml', 'acme-controls.yaml'],
    ['csv', 'text/csv; charset=utf-8', 'acme-controls.csv'],
    ['oscal', 'application/json', 'acme-controls.oscal.json'],
  ])('is %s that changes nothing when it is imported again', async (format, type, name) => {
    const exported = await app.reader.get(`/control-catalogue/acme?format=${format}&archived=true`)
    expect(exported.status).toBe(200)
    expect(exported.headers['content-type']).toBe(type)
    expect(exported.headers['content-disposition']).toContain(`filename="${name}"`)
    expect(exported.headers['waybill-beta']).toBe('?1')
    expect(exported.headers['content-length']).toBe(String(Buffer.byteLength(exported.text)))
    const before = await readEverything()
    for (const said of [{}, { format }]) {
      const body = { catalogue: exported.text, archive_missing: true, ...said }
      const { status, body: imported } = await app.admin.post('/control-catalogue/acme', body)
      expect(status).toBe(200)
      expect(imported).toMatchObject({ created: 0, updated: 0, archived: 0, unarchived: 0, unchanged: 4 })
    }
    expect(await readEverything()).toEqual(before)
  })

  it.each(['yaml', 'csv', 'oscal'])(
    'creates the same controls in another organization from %s',
    async format => {
      const org = 'other-corp'
      await app.sql(`delete from control_versions where org_id = (select org_id from orgs where name = $1)`, [
        org,
      ])
      await app.sql(`delete from controls where org_id = (select org_id from orgs where name = $1)`, [org])
      const { text } = await app.reader.get(`/control-catalogue/acme?format=${format}&archived=true`)
      const { body } = await app.outsider.post(`/control-catalogue/${org}`, { catalogue: text })
      expect(body).toMatchObject({ created: 4, archived: 1 })
      const listRows = (name: string) =>
        app.sql(
          `select identifier, c.name, c.description, links, tags, archived_at is not null as archived
         from controls c join orgs o using (org_id) where o.name = $1 order by identifier`,
          [name],
        )
      expect(await listRows(org)).toEqual(await listRows('acme'))
    },
  )

  it('is YAML without archived controls by default, by identifier', async () => {
    const { text, headers } = await app.reader.get('/control-catalogue/acme')
    expect(headers['content-type']).toBe('application/yaml')
    expect(text.match(/^ {2}- identifier: .*$/gm)).toEqual([
      '  - identifier: "-1.2~x"',
      '  - identifier: B',
      '  - identifier: "yes"',
    ])
  })

  it('is valid OSCAL that stays the same while nothing changes', async () => {
    const read = async () => (await app.reader.get('/control-catalogue/acme?format=oscal&archived=true')).body
    const document = await read()
    expect(findOscalProblems('catalogue', document)).toEqual([])
    app.clock.advance(60_000)
    expect(await read()).toEqual(document)
    const ids = document.catalog.controls.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(['id.-1.2_tx', 'B', 'old', 'yes'])
    expect(document.catalog.controls[2].props).toEqual([{ name: 'status', value: 'withdrawn' }])
  })

  it('is CSV without formulas', async () => {
    const { text } = await app.reader.get('/control-catalogue/acme?format=csv')
    expect(text).toContain("'-1.2~x,'=cmd|calc,")
    expect(text.startsWith('identifier,name,description,links,tags,archived\n')).toBe(true)
  })

  it.each(['yaml', 'csv', 'oscal'])('is %s when there are no controls', async format => {
    await app.admin.post('/organizations', { name: `none-${format}` })
    const org = `none-${format}`
    const { status, text, body } = await app.admin.get(`/control-catalogue/${org}?format=${format}`)
    expect(status).toBe(200)
    if (format === 'oscal') expect(findOscalProblems('catalogue', body)).toEqual([])
    const imported = await app.admin.post(`/control-catalogue/${org}`, { catalogue: text })
    expect(imported.body).toMatchObject({ created: 0, controls: [] })
  })

  it('takes one statement, besides those of its event', async () => {
    const read = () => app.reader.get('/control-catalogue/acme')
    expect((await read()).status).toBe(200)
    const statements = await listStatements(app, read)
    expect(statements.filter(name => name.startsWith('controls.'))).toHaveLength(1)
    expect(await listStatements(app, read)).toHaveLength(statements.length)
  })
})

it('returns 400 for an unknown format and for an archived that is neither true nor false', async () => {
  expect((await app.reader.get('/control-catalogue/acme?format=pdf')).status).toBe(400)
  expect((await app.reader.get('/control-catalogue/acme?archived=maybe')).status).toBe(400)
})

it('is available to readers', async () => {
  expect((await app.reader.get('/control-catalogue/acme')).status).toBe(200)
  expect((await app.outsider.get('/control-catalogue/acme')).status).toBe(403)
  expect((await app.anonymous.get('/control-catalogue/acme')).status).toBe(401)
})
