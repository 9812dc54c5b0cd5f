// Open pages follow what happens elsewhere, without a reload: over a stream, over one that is cut, and without one.
import { startCuttingProxy } from '@waybill/testing/cutting-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseWireId } from '../../src/lib/ids.ts'
import { fillDecision } from '../decisions.ts'
import { addDelivery } from '../deliveries.ts'
import type { TestApp } from '../harness.ts'
import { addCleanUp } from '../service.ts'
import { settled } from './browser.ts'
import { isSamePage, listenAt, openNewWindow, openOnce, openWindow, startWebApp } from './open-app.ts'

let delivery_id = ''
const STREAM = '**/api/v2/events/*/stream'

let app: TestApp
let port: number
beforeAll(async () => {
  app = await startWebApp()
  port = await listenAt(app, 0)
})
afterAll(() => app.stop())

async function send(method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await app.admin.call(method, path, body)
  expect([path, status < 300, status < 300 ? '' : text]).toEqual([path, true, ''])
}

const addFlow = (name: string) => send('PUT', '/flows/acme', { name, description: '' })
const addEnvironment = (name: string) =>
  send('PUT', '/environments/acme', { name, type: 'server', description: '' })
const report = (name: string, digit: string) =>
  send('PUT', `/environments/acme/${name}/report/server`, {
    artifacts: [{ digests: { [`app-${digit}`]: digit.repeat(64) }, creationTimestamp: 1_772_539_200 }],
  })

interface Followed {
  page: string
  path: string
  prepare?: () => Promise<void>
  change: () => Promise<void>
  shows: string | RegExp
}

const POLICY =
  '_schema: https://waybill.example/schemas/policy/v1\nartifacts:\n  provenance:\n    required: true\n'
const ATTESTATION = { attestation_name: 'seen-live', is_compliant: true }

const PAGES: readonly Followed[] = [
  {
    page: 'the overview',
    path: '/acme',
    prepare: () => addEnvironment('there-before'),
    change: () => addEnvironment('followed-card'),
    shows: 'followed-card',
  },
  {
    page: 'the list of environments',
    path: '/acme/environments',
    change: () => addEnvironment('followed-row'),
    shows: 'followed-row',
  },
  {
    page: 'an environment',
    path: `/acme/environments/followed`,
    prepare: async () => {
      await addEnvironment('followed')
      await report('followed', '1')
    },
    change: () => report('followed', '2'),
    shows: 'app-2',
  },
  {
    page: 'the snapshots of an environment',
    path: `/acme/environments/followed?tab=timeline`,
    change: () => report('followed', '3'),
    shows: /^3$|#3/,
  },
  {
    page: 'the list of flows',
    path: `/acme/flows`,
    change: () => addFlow('followed-flow'),
    shows: 'followed-flow',
  },
  {
    page: 'a flow',
    path: `/acme/flows/followed-flow`,
    change: () => send('PUT', `/trails/acme/followed-flow`, { name: 'followed-trail', description: '' }),
    shows: 'followed-trail',
  },
  {
    page: 'a trail',
    path: `/acme/flows/followed-flow/trails/followed-trail`,
    change: () => send('POST', `/attestations/acme/followed-flow/trail/followed-trail/generic`, ATTESTATION),
    shows: 'seen-live',
  },
  {
    page: 'the list of policies',
    path: `/acme/policies`,
    change: () => send('PUT', `/policies/acme/followed-policy`, { policy_yaml: POLICY }),
    shows: 'followed-policy',
  },
  {
    page: 'a policy',
    path: `/acme/policies/followed-policy`,
    change: () => send('POST', `/environments/acme/followed/policies`, { policy_names: ['followed-policy'] }),
    shows: 'followed',
  },
  {
    page: 'the people',
    path: `/acme/settings/members`,
    change: () => send('POST', `/invitations/acme`, { email: 'followed@example.com', role: 'reader' }),
    shows: 'followed@example.com',
  },
  {
    page: 'the waiting decisions',
    path: '/acme/waiting-decisions',
    change: async () => void (await fillDecision(app.admin, 'acme', 'followed')),
    shows: 'waiting',
  },
  {
    page: 'the deliveries',
    path: '/acme/settings/notifications/deliveries',
    prepare: async () => {
      delivery_id = await addDelivery(app)
    },
    change: async () =>
      void (await app.sql('update outbox set finished_at = $2, attempts = 1 where job_id = $1', [
        parseWireId(delivery_id),
        app.clock.now(),
      ])),
    shows: /^Delivered$/i,
  },
  {
    page: 'the events',
    path: '/acme/settings/audit-events',
    change: () => addFlow('followed-event'),
    shows: /followed-event/,
  },
  {
    page: 'the service accounts',
    path: `/acme/settings/service-accounts`,
    change: () => send('POST', '/service-accounts/acme', { name: 'followed-account' }),
    shows: 'followed-account',
  },
]

describe('without a reload', () => {
  it.each(PAGES)('$page follows', async ({ path, prepare, change, shows }) => {
    const { page, complaints } = await openWindow(app, port, 'desk')
    await prepare?.()
    await openOnce(page, path)
    await change()
    await page.getByRole('main').getByText(shows).first().waitFor()
    expect(await isSamePage(page)).toBe(true)
    expect(complaints).toEqual([])
  })

  it('a verdict that the service computes in the background is shown', async () => {
    const { page } = await openWindow(app, port, 'phone')
    await addEnvironment('judged')
    await report('judged', '4')
    await openOnce(page, `/acme/environments/judged`)
    await page.getByRole('main').getByText('Unknown').first().waitFor()
    await send('PUT', `/policies/acme/judging`, { policy_yaml: POLICY })
    await send('POST', `/environments/acme/judged/policies`, { policy_names: ['judging'] })
    app.clock.advance(1_000)
    await app.evaluate()
    await page.getByRole('main').getByText('Non-compliant').first().waitFor()
    expect(await isSamePage(page)).toBe(true)
  })

  it('a change refetches what it names, and nothing else', async () => {
    const { page } = await openWindow(app, port, 'desk')
    await openOnce(page, `/acme/environments/followed`)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await addFlow('somewhere-else')
    await report('followed', '5')
    await page.getByRole('main').getByText('app-5').first().waitFor()
    await settled(page)
    // The page also asks for the new snapshot's place in the log.
    const others = asked.filter(path => path.startsWith('/api/v2/') && !/followed|\/log\//.test(path))
    expect(others).toEqual([])
  })
})

describe('a stream that is cut', () => {
  it('again and again loses no change', async () => {
    const proxy = await startCuttingProxy(port)
    addCleanUp(proxy.stop)
    const { page } = await openNewWindow(app, Number(new URL(proxy.url).port), 'desk')
    await openOnce(page, `/acme/flows`)
    for (let i = 0; i < 10; i++) {
      if (i % 2 === 0) proxy.cutAll()
      await addFlow(`cut-${i}`)
      if (i % 2 === 1) proxy.cutAll()
      await page.getByRole('link', { name: `cut-${i}`, exact: true }).waitFor()
    }
    expect(await isSamePage(page)).toBe(true)
  })
})

describe('without a stream', () => {
  it('pages ask at intervals', async () => {
    const { page } = await openNewWindow(app, port, 'desk')
    // A proxy that lets no stream through.
    await page.route(STREAM, route => route.fulfill({ status: 504, body: '' }))
    await openOnce(page, `/acme/flows`)
    await addFlow('asked-for')
    await page.getByRole('link', { name: 'asked-for', exact: true }).waitFor()
    expect(await isSamePage(page)).toBe(true)
    expect(await page.getByText("Can't reach the server").count()).toBe(0)
  })
})
