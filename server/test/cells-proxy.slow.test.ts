// The proxy in front of several cells: the configuration that `admin cells proxy` generates, and where it sends every
// operation and every other route. If nginx is installed, it reads the configuration too.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { parseCells, writeNginxConfiguration } from '../src/admin/cells.ts'
import { operations } from '../src/api/operations.ts'
import { listCellRoutes } from '../src/http/cell-routes.ts'
import { readNginxConfiguration } from './cell-router.ts'
import { OTHER_ROUTES } from './other-routes.ts'
import { makeScratchFolder, runProgram } from './service.ts'

const FILE = join(root, 'deploy', 'cells', 'cells.yaml')
const GOLDEN = join(root, 'deploy', 'cells', 'nginx.conf')
const [HOME, OTHER] = ['waybill_eu', 'waybill_us']
const MOVED = 'acme'

const routes = listCellRoutes(operations)
const write = (text: string) => writeNginxConfiguration(parseCells(text), routes)
const { decide } = readNginxConfiguration(readFileSync(GOLDEN, 'utf8'))
const fill = (path: string, org: string) => path.replace('{org}', org).replaceAll(/\{\w+\+?\}/g, 'x')
const hasNginx = spawnSync('nginx', ['-v']).status === 0
if (!hasNginx) {
  console.error('nginx is not installed, so only our own router reads the configuration of the cells')
}

describe('the configuration', () => {
  it('is the file in deploy/cells, which the command prints', async () => {
    const { code, stdout } = await runProgram(['admin', 'cells', 'proxy', '--orgs', FILE], {
      data_dir: makeScratchFolder(),
    })
    expect(code).toBe(0)
    expect(stdout, 'npm run waybill -- admin cells proxy --orgs deploy/cells/cells.yaml').toBe(
      readFileSync(GOLDEN, 'utf8'),
    )
  })

  it.skipIf(!hasNginx)('is accepted by nginx', () => {
    const folder = makeScratchFolder()
    const main = join(folder, 'main.conf')
    const text = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${GOLDEN}; }`
    writeFileSync(main, text)
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', main, '-p', folder], { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
  })

  it.each([
    ['no home', 'home: x\ncells: {eu: {url: "https://a.test", servers: ["a:1"]}}\norgs: {}', 'no cell x'],
    [
      'an unknown cell',
      'home: eu\ncells: {eu: {url: "https://a.test", servers: ["a:1"]}}\norgs: {acme: us}',
      'orgs.acme: there is no cell us',
    ],
    [
      'a name twice',
      'home: eu\ncells: {eu: {url: "https://a.test", servers: ["a:1"]}}\norgs: {acme: eu, Acme: eu}',
      'orgs.Acme',
    ],
    [
      'a name of our own',
      'home: eu\ncells: {eu: {url: "https://a.test", servers: ["a:1"]}}\norgs: {api: eu}',
      'orgs.api: no organization can have this name',
    ],
    [
      'a server that would be a directive',
      'home: eu\ncells: {eu: {url: "https://a.test", servers: ["a:1; }"]}}\norgs: {}',
      'servers',
    ],
    ['a list', '- home', 'file'],
    ['no YAML', 'home: [', 'not valid YAML'],
  ])('is refused for %s', (_, text, problem) => {
    expect(() => write(text)).toThrow(problem)
  })
})

describe('every operation', () => {
  it.each(operations.map(({ contract }) => [`${contract.method} ${contract.path}`, contract.path]))(
    '%s goes to the cell of its organization, or to the home cell',
    (_, path) => {
      const send = (org: string) => decide(`/api/v2${fill(path, org)}?org=${MOVED}`)
      expect(send(MOVED)).toEqual({ upstream: path.includes('{org}') ? OTHER : HOME })
      expect(send('globex')).toEqual({ upstream: HOME })
      expect(send('unlisted')).toEqual({ upstream: HOME })
      // Names are case-insensitive, and may be encoded.
      expect(send('ACM%45')).toEqual(send(MOVED))
    },
  )
})

describe('the other routes', () => {
  it.each(Object.keys(OTHER_ROUTES).map(route => [route, route.split(' ')[1] ?? '']))('%s', (route, path) => {
    const expected = route.endsWith(' /metrics')
      ? { status: 404 }
      : { upstream: path.startsWith('/scim/') ? OTHER : HOME }
    expect(decide(fill(path, MOVED))).toEqual(expected)
  })

  it.each([
    ['/acme', '/acme'],
    ['/acme/flows/ci?page=2', '/acme/flows/ci?page=2'],
    ['/Acme/environments/prod', '/Acme/environments/prod'],
  ])('redirects the page %s to the own address of the cell', (path, then) => {
    expect(decide(path)).toEqual({ redirect: `https://us.waybill.example.org${then}` })
  })

  it.each(['/', '/globex/flows/ci', '/unlisted', '/assets/app.js', '/api/v2/user/sessions'])(
    'leaves %s to the home cell',
    path => {
      expect(decide(path)).toEqual({ upstream: HOME })
    },
  )
})
