import { describe, expect, it } from 'vitest'
import { formatReference, isLoopback, parseReference } from './reference.ts'

const D = `sha256:${'0'.repeat(64)}`

describe('an image name', () => {
  it.each([
    ['alpine', 'docker.io/library/alpine:latest'],
    ['alpine:3.20', 'docker.io/library/alpine:3.20'],
    ['acme/web', 'docker.io/acme/web:latest'],
    ['docker.io/alpine', 'docker.io/library/alpine:latest'],
    ['index.docker.io/acme/web:1', 'docker.io/acme/web:1'],
    [`alpine@${D}`, `docker.io/library/alpine@${D}`],
    [`alpine:3@${D}`, `docker.io/library/alpine:3@${D}`],
    ['ghcr.io/acme/web/api:v1_2.3-4', 'ghcr.io/acme/web/api:v1_2.3-4'],
    ['localhost/web', 'localhost/web:latest'],
    ['localhost:5000/web', 'localhost:5000/web:latest'],
    ['registry:5000/web:1', 'registry:5000/web:1'],
    ['[::1]:5000/web', '[::1]:5000/web:latest'],
    ['Registry/web', 'Registry/web:latest'],
    ['localhost:5000', 'docker.io/library/localhost:5000'],
    ['a.b/c__d/e---f', 'a.b/c__d/e---f:latest'],
  ])('%s is %s', (text, whole) => expect(formatReference(parseReference(text))).toBe(whole))

  it('on Docker Hub is requested from its API host', () => {
    expect(parseReference('alpine').api_host).toBe('registry-1.docker.io')
    expect(parseReference('ghcr.io/a/b').api_host).toBe('ghcr.io')
  })

  it.each([
    ['', /is no repository/],
    [' ', /is no repository/],
    ['docker://alpine', /leave out the part up to ":\/\/"/],
    ['https://ghcr.io/a/b', /leave out/],
    ['Alpine', /is no repository: lower-case/],
    ['ghcr.io/Acme/web', /is no repository/],
    ['ghcr.io/a..b', /is no repository/],
    ['ghcr.io/../b', /is no repository/],
    ['ghcr.io/a//b', /is no repository/],
    ['ghcr.io/', /is no repository/],
    ['alpine:', /the tag ""/],
    ['alpine:a b', /the tag "a b"/],
    [`alpine:${'a'.repeat(129)}`, /the tag/],
    ['alpine@sha256:abc', /needs a digest/],
    [`alpine@${D.toUpperCase()}`, /needs a digest/],
    [`alpine@sha512:${'0'.repeat(128)}`, /needs a digest/],
    ['a_b.c:99/x', /is not the host of a registry/],
    ['-a.b/x', /is not the host/],
    [`a.b/${'a/'.repeat(130)}a`, /is no repository/],
  ])('%j is refused', (text, message) => expect(() => parseReference(text)).toThrow(message))

  it.each([
    ['localhost', true],
    ['localhost:5000', true],
    ['127.0.0.1:5000', true],
    ['[::1]', true],
    ['localhost.example.com', false],
    ['127.example.com', false],
    ['10.0.0.1', false],
  ])('%s is on this machine: %s', (host, expected) => expect(isLoopback(host)).toBe(expected))
})
