// Which containers a report takes from the status of pods.
import { describe, expect, it } from 'vitest'
import { describePods, type Pod } from './containers.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const running = { running: { startedAt: '2026-01-02T03:04:05Z' } }

function makePod(status: NonNullable<Pod['status']>): Pod {
  const metadata = { name: 'web-1', namespace: 'shop', uid: '1', creationTimestamp: '2026-01-02T03:04:00Z' }
  return { metadata, status: { phase: 'Running', ...status } }
}

const list = (pod: Pod) => describePods([pod]).elements.map(({ digests }) => digests)

describe('the containers of a pod', () => {
  it.each([
    ['docker-pullable://registry.example.com/web@sha256:', 'of Docker'],
    ['registry.example.com/web@sha256:', 'of containerd'],
  ])('have the digest of %s', prefix => {
    const pod = makePod({
      containerStatuses: [{ name: 'web', image: 'web:1', imageID: `${prefix}${A}`, state: running }],
    })
    expect(list(pod)).toEqual([{ 'web:1': A }])
  })

  it('are separate elements, even two of one image name with different digests', () => {
    const pod = makePod({
      containerStatuses: [
        { name: 'old', image: 'web:1', imageID: `web@sha256:${A}`, state: running },
        { name: 'new', image: 'web:1', imageID: `web@sha256:${B}`, state: running },
      ],
    })
    expect(list(pod)).toEqual([{ 'web:1': A }, { 'web:1': B }])
  })

  it('include init containers, and debug containers while they run', () => {
    const pod = makePod({
      initContainerStatuses: [
        { name: 'init', image: 'init:1', imageID: `i@sha256:${A}`, state: { terminated: {} } },
      ],
      ephemeralContainerStatuses: [
        { name: 'debug', image: 'busybox', imageID: `b@sha256:${B}`, state: running },
        { name: 'gone', image: 'busybox', imageID: `b@sha256:${A}`, state: { terminated: {} } },
      ],
    })
    expect(list(pod)).toEqual([{ 'init:1': A }, { busybox: B }])
  })

  it.each(['Succeeded', 'Failed'])('of a pod in the phase %s no longer run', phase => {
    const pod = makePod({
      phase,
      containerStatuses: [{ name: 'job', image: 'job', imageID: `j@sha256:${A}` }],
    })
    expect(list(pod)).toEqual([])
  })

  it('are left out until their image is pulled', () => {
    const pod = makePod({
      containerStatuses: [{ name: 'web', image: 'web:1', imageID: '', state: { waiting: {} } }],
    })
    expect(describePods([pod])).toEqual({ elements: [], unresolved: [] })
  })

  it.each([`sha256:${A}`, `docker://sha256:${A}`, 'something else'])(
    'are reported as not seen if the node knows only %s',
    image_id => {
      const pod = makePod({
        containerStatuses: [{ name: 'web', image: 'web:1', imageID: image_id, state: running }],
      })
      const { elements, unresolved } = describePods([pod])
      expect(elements).toEqual([])
      expect(unresolved).toEqual([expect.stringContaining('shop/web-1/web')])
    },
  )

  it('start when the container did, or else the pod', () => {
    const [first] = describePods([
      makePod({ containerStatuses: [{ imageID: `w@sha256:${A}`, state: running }] }),
    ]).elements
    expect(first?.creationTimestamp).toBe(Date.parse('2026-01-02T03:04:05Z') / 1000)
    const [other] = describePods([makePod({ containerStatuses: [{ imageID: `w@sha256:${A}` }] })]).elements
    expect(other?.creationTimestamp).toBe(Date.parse('2026-01-02T03:04:00Z') / 1000)
  })
})
