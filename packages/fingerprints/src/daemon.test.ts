import { createServer, request as sendRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readDaemonImage } from './daemon.ts'
import { expectProblem } from './problem.testing.ts'
import { makeScratch } from './tree.testing.ts'

const [ONE, TWO] = [`sha256:${'1'.repeat(64)}`, `sha256:${'2'.repeat(64)}`]

/** A fake engine on a socket, like Docker's or Podman's. Returns a client's connection to it. */
async function startEngine(status: number, answer: unknown) {
  const socketPath = join(await makeScratch(), 'engine.sock')
  const paths: string[] = []
  const server = createServer((incoming, response) => {
    paths.push(incoming.url ?? '')
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>(resolve => server.listen(socketPath, resolve))
  onTestFinished(() => void server.close())
  const request = (path: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const sent = sendRequest({ socketPath, path }, async response => {
        let body = ''
        for await (const text of response.setEncoding('utf8')) body += text
        resolve({ status: response.statusCode ?? 0, body })
      })
      sent.once('error', reject).end()
    })
  return { request, paths }
}

const read = async (reference: string, RepoDigests: unknown, more = {}) =>
  readDaemonImage(reference, await startEngine(200, { Id: TWO, RepoDigests, ...more }))

describe('an image in an engine', () => {
  it.each([
    ['alpine', [`alpine@${ONE}`]],
    ['alpine:3', [`docker.io/library/alpine@${ONE}`]],
    ['ghcr.io/acme/web:1', [`ghcr.io/acme/web@${ONE}`, `quay.io/acme/web@${TWO}`]],
    [`alpine@${ONE}`, [`alpine@${TWO}`, `alpine@${ONE}`]],
    [TWO, [`alpine@${ONE}`, `ghcr.io/acme/alpine@${ONE}`]],
    ['0123456789ab', [`alpine@${ONE}`]],
    ['localhost:5000/web', [`localhost:5000/web@${ONE}`, '<none>@<none>']],
  ])('%s has the digest of its repository', async (reference, digests) => {
    expect(await read(reference, digests)).toEqual({
      digest: ONE,
      media_type: null,
      platforms: [],
      image_id: TWO,
    })
  })

  it('has a media type if the engine describes that digest', async () => {
    const Descriptor = { digest: ONE, mediaType: 'application/vnd.oci.image.index.v1+json' }
    expect((await read('alpine', [`alpine@${ONE}`], { Descriptor })).media_type).toBe(Descriptor.mediaType)
    const other = await read('alpine', [`alpine@${ONE}`], { Descriptor: { ...Descriptor, digest: TWO } })
    expect(other.media_type).toBeNull()
  })

  it('is requested by its name', async () => {
    const engine = await startEngine(200, { Id: TWO, RepoDigests: [`localhost:5000/a/b@${ONE}`] })
    await readDaemonImage('localhost:5000/a/b:1', engine)
    expect(engine.paths).toEqual(['/images/localhost%3A5000/a/b%3A1/json'])
  })

  it.each([[[]], [null], [undefined], [['<none>@<none>']]])(
    'that was built and not pushed has none, and the message explains what to do: %j',
    async digests => {
      const work = read('web:dev', digests)
      await expectProblem(
        work,
        'not_pushed',
        /built on this machine and not pushed.*--from-build-metadata metadata\.json/,
      )
    },
  )

  it.each([
    ['web', [`other@${ONE}`], 'not_pushed', /only under other names: other@sha256/],
    ['web', [`web@${ONE}`, `web@${TWO}`], 'invalid', /with several digests/],
    [TWO, [`web@${ONE}`, `other@${TWO}`], 'invalid', /with several digests/],
    [`web@${ONE}`, [`web@${TWO}`], 'invalid', /with several digests/],
  ] as const)('%s is not guessed among %j', async (reference, digests, reason, message) => {
    await expectProblem(read(reference, digests), reason, message)
  })

  it.each([
    [404, '{"message":"no such image"}', 'not_found', /The engine has no image web\. Build or pull it/],
    [500, 'broken', 'unreachable', /status 500/],
    [200, 'broken', 'invalid', /status 200, and not with an image/],
    [400, '{}', 'invalid', /status 400/],
  ] as const)('is missing if the engine answers %d %s', async (status, answer, reason, message) => {
    await expectProblem(readDaemonImage('web', await startEngine(status, answer)), reason, message)
  })

  it('is missing if there is no engine', async () => {
    const request = () => Promise.reject(new Error('connect ENOENT'))
    await expectProblem(readDaemonImage('web', { request }), 'unreachable', /cannot be reached\. Start it/)
  })

  it('needs a valid name', async () => {
    const request = () => Promise.reject(new Error('never asked'))
    await expectProblem(
      readDaemonImage('../containers/x', { request }),
      'invalid',
      /not the name of an image/,
    )
  })
})
