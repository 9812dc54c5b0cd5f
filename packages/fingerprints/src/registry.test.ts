import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { digestManifest } from './manifest.ts'
import { expectProblem } from './problem.testing.ts'
import {
  type Answer,
  DOCKER_LIST,
  DOCKER_MANIFEST,
  formatIndex,
  formatManifest,
  OCI_INDEX,
  OCI_MANIFEST,
  type Reply,
  SOME_DIGEST,
  serveManifest,
  startRegistry,
} from './registry.testing.ts'
import { type ResolveOptions, resolveImage } from './registry.ts'

const MANIFEST = formatManifest(OCI_MANIFEST)
const DIGEST = digestManifest(Buffer.from(MANIFEST))
const PATH = '/v2/acme/web/manifests/1.0'
const ARM = `sha256:${'a'.repeat(64)}`
const INDEX = formatIndex(OCI_INDEX, [
  { platform: { os: 'linux', architecture: 'amd64' } },
  { platform: { os: 'linux', architecture: 'arm64', variant: 'v8' }, digest: ARM },
  {
    platform: { os: 'unknown', architecture: 'unknown' },
    annotations: { 'vnd.docker.reference.type': 'attestation-manifest' },
  },
])

/** Asks a registry that responds to each image request in this way. */
async function resolveFrom(reply: Reply | Answer, options: Partial<ResolveOptions> = {}, suffix = ':1.0') {
  const answer: Answer = typeof reply === 'function' ? reply : () => reply
  const registry = await startRegistry(answer)
  const work = resolveImage(`${registry.host}/acme/web${suffix}`, { fetch, auth: undefined, ...options })
  return { registry, work }
}

describe('an image in a registry', () => {
  it.each([OCI_MANIFEST, DOCKER_MANIFEST])('has the digest of its manifest: %s', async media_type => {
    const body = formatManifest(media_type)
    const { registry, work } = await resolveFrom(serveManifest(body, media_type))
    const reference = `${registry.host}/acme/web:1.0`
    expect(await work).toEqual({
      reference,
      digest: digestManifest(Buffer.from(body)),
      media_type,
      platforms: [],
    })
    expect(registry.requests.map(({ method, path }) => [method, path])).toEqual([['GET', PATH]])
    expect(registry.requests[0]?.headers.accept?.split(', ').sort()).toEqual(
      [OCI_INDEX, OCI_MANIFEST, DOCKER_LIST, DOCKER_MANIFEST].sort(),
    )
  })

  it.each([OCI_INDEX, DOCKER_LIST])(
    'has the digest of its index and of each platform: %s',
    async media_type => {
      const body = INDEX.replace(OCI_INDEX, media_type)
      const { work } = await resolveFrom(serveManifest(body, media_type))
      expect(await work).toMatchObject({
        digest: digestManifest(Buffer.from(body)),
        media_type,
        platforms: [
          { platform: 'linux/amd64', digest: SOME_DIGEST },
          { platform: 'linux/arm64/v8', digest: ARM },
        ],
      })
    },
  )

  it('lists only the requested platform', async () => {
    const { work } = await resolveFrom(serveManifest(INDEX, OCI_INDEX), { platform: 'linux/arm64/v8' })
    expect((await work).platforms).toEqual([{ platform: 'linux/arm64/v8', digest: ARM }])
  })

  it('lists a manifest without a platform', async () => {
    const { work } = await resolveFrom(serveManifest(formatIndex(OCI_INDEX, [{}]), OCI_INDEX))
    expect((await work).platforms).toEqual([{ platform: null, digest: SOME_DIGEST }])
  })

  it('is found by its digest', async () => {
    const { registry, work } = await resolveFrom(serveManifest(MANIFEST, OCI_MANIFEST), {}, `:1.0@${DIGEST}`)
    expect((await work).digest).toBe(DIGEST)
    expect(registry.requests[0]?.path).toBe(`/v2/acme/web/manifests/${DIGEST}`)
  })

  it('needs no stated digest, and accepts a SHA-512 digest', async () => {
    const sha512 = `sha512:${createHash('sha512').update(MANIFEST).digest('hex')}`
    const silent = await resolveFrom({
      body: MANIFEST,
      headers: { 'content-type': `${OCI_MANIFEST}; charset=utf-8` },
    })
    expect((await silent.work).digest).toBe(DIGEST)
    const other = await resolveFrom(
      serveManifest(MANIFEST, OCI_MANIFEST, { 'docker-content-digest': sha512 }),
    )
    expect((await other.work).digest).toBe(DIGEST)
  })

  it.each([
    ['alpine', 'https://registry-1.docker.io/v2/library/alpine/manifests/latest'],
    ['ghcr.io/acme/web:1', 'https://ghcr.io/v2/acme/web/manifests/1'],
    ['localhost:5000/web', 'http://localhost:5000/v2/web/manifests/latest'],
  ])('%s is asked for at %s', async (reference, url) => {
    const asked: string[] = []
    const refuse = async (each: string) => {
      asked.push(each)
      throw new Error('no network')
    }
    await expectProblem(
      resolveImage(reference, { fetch: refuse, auth: undefined }),
      'unreachable',
      /no network/,
    )
    expect(asked).toEqual([url])
  })

  it('is requested with or without TLS, as the caller chooses', async () => {
    const asked: string[] = []
    const refuse = async (each: string) => {
      asked.push(each.slice(0, 8))
      throw new Error('no network')
    }
    for (const [host, plain_http] of [
      ['localhost:5000', false],
      ['10.0.0.1', true],
    ] as const) {
      await expectProblem(
        resolveImage(`${host}/web`, { fetch: refuse, auth: undefined, plain_http }),
        'unreachable',
        /./,
      )
    }
    expect(asked).toEqual(['https://', 'http://1'])
  })
})

describe('no digest', () => {
  it.each(['sha256:00', SOME_DIGEST, 'md5:0', 'nonsense', `sha512:${'0'.repeat(128)}`])(
    'has an image whose registry states %s for other bytes',
    async stated => {
      const { work } = await resolveFrom(
        serveManifest(MANIFEST, OCI_MANIFEST, { 'docker-content-digest': stated }),
      )
      await expectProblem(
        work,
        'mismatch',
        `a manifest with the digest ${DIGEST}, but "${stated.slice(0, 20)}`,
      )
    },
  )

  it('has an image whose manifest is not the requested one', async () => {
    const { work } = await resolveFrom(serveManifest(MANIFEST, OCI_MANIFEST), {}, `@${SOME_DIGEST}`)
    await expectProblem(work, 'mismatch', SOME_DIGEST)
  })

  it.each([
    ['text/html', '<html>'],
    ['application/vnd.docker.distribution.manifest.v1+prettyjws', '{}'],
    ['application/json', MANIFEST],
  ])('has what is delivered as %s', async (type, body) => {
    const { work } = await resolveFrom({ body, headers: { 'content-type': type } })
    await expectProblem(work, 'invalid', `has the media type "${type}", which is no manifest of an image.`)
  })

  it.each([
    ['is no JSON', OCI_MANIFEST, '{', /is not a JSON object/],
    ['is a list', OCI_MANIFEST, '[]', /is not a JSON object/],
    [
      'states another media type',
      OCI_MANIFEST,
      formatManifest(DOCKER_MANIFEST),
      /states "application\/vnd\.docker/,
    ],
    [
      'can be read in two ways',
      OCI_INDEX,
      INDEX.replace('{', '{"layers":[],'),
      /must have "manifests" and no "layers"/,
    ],
    ['can also be an index', OCI_MANIFEST, formatManifest(OCI_MANIFEST, { manifests: [] }), /no "manifests"/],
    ['has no layers', OCI_MANIFEST, '{}', /must have "layers"/],
    [
      'names no digest',
      OCI_INDEX,
      formatIndex(OCI_INDEX, [{ digest: 'sha256:../..' }]),
      /not a SHA-256 digest/,
    ],
    ['states no size', OCI_INDEX, formatIndex(OCI_INDEX, [{ size: -1 }]), /no valid size/],
  ])('has a manifest that %s', async (_, media_type, body, message) => {
    const { work } = await resolveFrom(serveManifest(body, media_type))
    await expectProblem(work, 'invalid', message)
  })

  it('has an image without the platform', async () => {
    const { work } = await resolveFrom(serveManifest(INDEX, OCI_INDEX), { platform: 'linux/s390x' })
    await expectProblem(
      work,
      'not_found',
      /has the platforms linux\/amd64, linux\/arm64\/v8, not "linux\/s390x"/,
    )
    const single = await resolveFrom(serveManifest(MANIFEST, OCI_MANIFEST), { platform: 'linux/amd64' })
    await expectProblem(single.work, 'not_found', /is one manifest without an index/)
  })

  it.each([
    [404, 'not_found', /has no image 127\.0\.0\.1:\d+\/acme\/web:1\.0\. Check the name/],
    [403, 'not_allowed', /refuses requests without credentials .* `docker login 127/],
    [500, 'unreachable', /status 500/],
    [503, 'unreachable', /status 503/],
    [418, 'invalid', /status 418/],
  ] as const)('has an image for which the registry answers %d', async (status, reason, message) => {
    const { work } = await resolveFrom({ status, body: 'no' })
    await expectProblem(work, reason, message)
  })

  it('has an image while the registry limits requests, and the problem contains the delay', async () => {
    const { work } = await resolveFrom({ status: 429, headers: { 'retry-after': '17' } })
    expect((await expectProblem(work, 'unreachable', /limits the number of requests/)).retry_after_s).toBe(17)
    const vague = await resolveFrom({
      status: 429,
      headers: { 'retry-after': 'Tue, 17 Nov 2026 00:00:00 GMT' },
    })
    expect((await expectProblem(vague.work, 'unreachable', /429/)).retry_after_s).toBeUndefined()
  })

  it('has an image with a manifest of more than 4 MiB, stated or not', async () => {
    const body = ' '.repeat(4 * 1024 * 1024 + 1)
    const stated = await resolveFrom(serveManifest(body, OCI_MANIFEST))
    await expectProblem(stated.work, 'invalid', /more than 4194304 bytes/)
    const endless = await resolveFrom((_, response) => {
      response.writeHead(200, { 'content-type': OCI_MANIFEST })
      const send = (): void => {
        while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
        response.once('drain', send)
      }
      send()
      return 'answered'
    })
    await expectProblem(endless.work, 'invalid', /more than 4194304 bytes/)
  })

  it('has a truncated manifest', async () => {
    const { work } = await resolveFrom((_, response) => {
      response.writeHead(200, { 'content-type': OCI_MANIFEST, 'content-length': '1000' })
      response.write('{', () => response.destroy())
      return 'answered'
    })
    await expectProblem(work, 'unreachable', /cannot be reached/)
  })

  it('has an image in a registry that is not running', async () => {
    const work = resolveImage('127.0.0.1:1/web', { fetch, auth: undefined })
    await expectProblem(work, 'unreachable', /^127\.0\.0\.1:1 cannot be reached \(.+\)\. Check the name/)
  })

  it('has a request that the caller aborts', async () => {
    const { work } = await resolveFrom(serveManifest(MANIFEST, OCI_MANIFEST), { signal: AbortSignal.abort() })
    await expectProblem(work, 'unreachable', /cannot be reached/)
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %d is followed', async status => {
    const target = await startRegistry(() => serveManifest(MANIFEST, OCI_MANIFEST))
    const { work } = await resolveFrom({
      status,
      headers: { location: `http://u:p@${target.host}/elsewhere?a=b` },
    })
    expect((await work).digest).toBe(DIGEST)
    expect(target.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/elsewhere?a=b', undefined],
    ])
  })

  it('sends no credentials to another host, which cannot ask for them either', async () => {
    const target = await startRegistry(() => ({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="x"' },
    }))
    const auth = async () => ({ kind: 'registry_token', token: 'secret', source: 'test' }) as const
    const { registry, work } = await resolveFrom(
      { status: 307, headers: { location: `http://${target.host}/x` } },
      { auth },
    )
    await expectProblem(work, 'not_allowed', /refuses the credentials from test/)
    expect(registry.requests[0]?.headers.authorization).toBe('Bearer secret')
    expect(target.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
  })

  it.each([
    ['in a circle', PATH, /redirects too often/],
    ['to another protocol', 'ftp://127.0.0.1/x', /away from HTTPS/],
    ['to nothing that can be read', 'http://[', /not valid/],
    ['without a target', undefined, /nowhere/],
  ])('%s is refused', async (_, location, message) => {
    const { work } = await resolveFrom({ status: 307, headers: location === undefined ? {} : { location } })
    await expectProblem(work, 'invalid', message)
  })

  it('from HTTPS to HTTP is refused', async () => {
    const redirect = async () => ({
      status: 302,
      headers: new Headers({ location: 'http://example.com/x' }),
      body: null,
    })
    await expectProblem(
      resolveImage('example.com/web', { fetch: redirect, auth: undefined }),
      'invalid',
      /away from HTTPS/,
    )
  })
})
