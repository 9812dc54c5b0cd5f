// The Grafana dashboard: every metric that it shows exists, with the labels that it groups by.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { readExportMetrics } from './export-metrics.ts'
import { startTestApp, type TestApp } from './harness.ts'

interface Panel {
  id: number
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets: { expr: string; legendFormat: string }[]
}

const PANELS: Panel[] = JSON.parse(readFileSync(join(root, 'deploy/grafana/waybill.json'), 'utf8')).panels
const EXPRESSIONS = PANELS.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const GRID_WIDTH = 24
/** Prometheus adds these. */
const FROM_SCRAPES = ['job', 'instance', 'le']

let app: TestApp
let metrics: string
beforeAll(async () => {
  app = await startTestApp()
  await app.reader.get('/flows/acme')
  const { body } = await app.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  metrics = body + (await readExportMetrics())
})
afterAll(() => app.stop())

describe('the dashboard', () => {
  it.each(EXPRESSIONS)('shows metrics that exist: %s', expr => {
    const names = [...expr.matchAll(/\b(?:waybill|process|nodejs)_\w+/g)].map(([name]) => name)
    expect(names).not.toEqual([])
    for (const name of names) {
      const declared = name.replace(/_(bucket|count)$/, '')
      expect(metrics).toMatch(new RegExp(`^# TYPE ${declared} `, 'm'))
    }
  })

  it('groups by labels that the metrics declare', () => {
    const source = readFileSync(join(root, 'server/src/http/metrics.ts'), 'utf8')
    const declared = [...source.matchAll(/labelNames(?:: | = )\[([^\]]*)\]/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'(\w+)'/g)].map(([, label]) => label),
    )
    const grouped = EXPRESSIONS.flatMap(expr => [...expr.matchAll(/ by \(([^)]*)\)/g)])
      .flatMap(([, list = '']) => list.split(', '))
      .filter(label => !FROM_SCRAPES.includes(label))
    expect(grouped.filter(label => !declared.includes(label))).toEqual([])
  })

  it('has a title, an expression and a unique place for every panel', () => {
    const places = PANELS.map(({ gridPos: { x, y } }) => `${x},${y}`)
    expect(new Set(places).size).toBe(PANELS.length)
    expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length)
    for (const { title, gridPos, targets } of PANELS) {
      expect([title, targets.length > 0, gridPos.x + gridPos.w <= GRID_WIDTH]).toEqual([title, true, true])
    }
  })
})
