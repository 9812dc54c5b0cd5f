import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectProblem } from './problem.testing.ts'
import { parseReference } from './reference.ts'
import {
  formatBasic,
  formatManifest,
  OCI_MANIFEST,
  serveManifest,
  startRegistry,
} from './registry.testing.ts'
import { resolveImage } from './registry.ts'
import { findStoredCredentials, listAuthFiles } from './stored-credentials.ts'
import { makeScratch } from './tree.testing.ts'

const encode = (text: string) => Buffer.from(text).toString('base64')

/** A home folder with these files. */
async function makeHome(files: Readonly<Record<string, unknown>>) {
  const home = await makeScratch()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true })
    await writeFile(join(home, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  const env = { HOME: home, PATH: `${home}/bin:/usr/bin:/bin` }
  const find = (reference: string, more = {}) =>
    findStoredCredentials({ env: { ...env, ...more } })(parseReference(reference))
  return { home, env, find }
}

async function addHelper(home: string, name: string, script: string): Promise<void> {
  const path = join(home, 'bin', `docker-credential-${name}`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
}

describe('the Docker file', () => {
  const DOCKER = '.docker/config.json'

  it.each([
    ['ghcr.io', 'ghcr.io/acme/web'],
    ['https://ghcr.io', 'ghcr.io/acme/web'],
    ['https://ghcr.io/v1/', 'ghcr.io/acme/web'],
    ['localhost:5000', 'localhost:5000/web'],
    ['https://index.docker.io/v1/', 'alpine'],
    ['docker.io', 'acme/web'],
  ])('has a password under %s for %s', async (key, reference) => {
    const { home, find } = await makeHome({
      [DOCKER]: { auths: { [key]: { auth: encode('ada:pass:word') } } },
    })
    const source = `${home}/${DOCKER} (${key})`
    expect(await find(reference)).toEqual({
      kind: 'password',
      username: 'ada',
      password: 'pass:word',
      source,
    })
  })

  it.each([
    ['ghcr.io', 'quay.io/acme/web'],
    ['ghcr.io', 'evil-ghcr.io/acme/web'],
    ['ghcr.io', 'ghcr.io:444/acme/web'],
    ['localhost:5000', 'localhost/web'],
    ['https://index.docker.io/v1/', 'ghcr.io/acme/web'],
  ])('has a password under %s, but not for %s', async (key, reference) => {
    const { find } = await makeHome({ [DOCKER]: { auths: { [key]: { auth: encode('ada:secret') } } } })
    expect(await find(reference)).toBeUndefined()
  })

  it('may contain tokens, or a name and a password', async () => {
    const auths = {
      'a.io': { auth: encode('x:y'), identitytoken: 'id' },
      'b.io': { registrytoken: 'reg' },
      'c.io': { username: 'ada', password: 'pw' },
      'd.io': { auth: encode('ada:pw\0\0') },
      'e.io': {},
    }
    const { find } = await makeHome({ [DOCKER]: { auths } })
    expect(await find('a.io/x')).toMatchObject({ kind: 'identity_token', token: 'id' })
    expect(await find('b.io/x')).toMatchObject({ kind: 'registry_token', token: 'reg' })
    expect(await find('c.io/x')).toMatchObject({ username: 'ada', password: 'pw' })
    expect(await find('d.io/x')).toMatchObject({ username: 'ada', password: 'pw' })
    expect(await find('e.io/x')).toBeUndefined()
  })

  it('may be missing, but not unreadable', async () => {
    expect(await (await makeHome({})).find('a.io/x')).toBeUndefined()
    const broken = await makeHome({ [DOCKER]: '{' })
    await expectProblem(broken.find('a.io/x'), 'invalid', /config\.json" is not a JSON object\. Repair it/)
    const wrong = await makeHome({ [DOCKER]: { auths: { 'a.io': { auth: encode('no colon') } } } })
    await expectProblem(
      wrong.find('a.io/x'),
      'invalid',
      /"auth" for a\.io that is not base64 of name:password/,
    )
  })
})

describe('the Podman files', () => {
  it('come before the Docker file, and support repositories', async () => {
    const entry = (name: string) => ({ auth: encode(`${name}:pw`) })
    const { find, home } = await makeHome({
      'run/containers/auth.json': {
        auths: { 'a.io/acme/web': entry('repository'), 'a.io/acme': entry('folder') },
      },
      '.config/containers/auth.json': { auths: { 'a.io': entry('host') } },
      '.docker/config.json': { auths: { 'a.io': entry('docker'), 'b.io': entry('docker') } },
      'other.json': { auths: { 'a.io': entry('other') } },
    })
    const runtime = { XDG_RUNTIME_DIR: `${home}/run` }
    expect(await find('a.io/acme/web', runtime)).toMatchObject({ username: 'repository' })
    expect(await find('a.io/acme/api', runtime)).toMatchObject({ username: 'folder' })
    expect(await find('a.io/acme-other/web', runtime)).toMatchObject({ username: 'host' })
    expect(await find('b.io/x', runtime)).toMatchObject({ username: 'docker' })
    expect(await find('a.io/x', { REGISTRY_AUTH_FILE: `${home}/other.json` })).toMatchObject({
      username: 'other',
    })
  })

  it('are found by the environment', () => {
    expect(listAuthFiles({ HOME: '/h' })).toEqual([
      '/h/.config/containers/auth.json',
      '/h/.docker/config.json',
    ])
    expect(
      listAuthFiles({ HOME: '/h', XDG_RUNTIME_DIR: '/r', XDG_CONFIG_HOME: '/c', DOCKER_CONFIG: '/d' }),
    ).toEqual(['/r/containers/auth.json', '/c/containers/auth.json', '/d/config.json'])
    expect(listAuthFiles({})).toEqual([])
  })
})

describe('a credential helper', () => {
  it('reads the name of the registry, and its credentials are used', async () => {
    const { home, env } = await makeHome({})
    await addHelper(home, 'test', `cat > ${home}/asked; echo '{"Username":"ada","Secret":"from helper"}'`)
    const { host } = await startRegistry(({ headers }) =>
      headers.authorization === formatBasic('ada', 'from helper')
        ? serveManifest(formatManifest(OCI_MANIFEST), OCI_MANIFEST)
        : { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } },
    )
    await mkdir(join(home, '.docker'))
    await writeFile(join(home, '.docker/config.json'), JSON.stringify({ credHelpers: { [host]: 'test' } }))
    const image = await resolveImage(`${host}/web`, { fetch, auth: findStoredCredentials({ env }) })
    expect(image.media_type).toBe(OCI_MANIFEST)
  })

  it('is asked for Docker Hub by its historical name, and only if no other source knows it', async () => {
    const auths = { 'a.io': { auth: encode('ada:file') }, 'b.io': {} }
    const { home, find } = await makeHome({ '.docker/config.json': { auths, credsStore: 'test' } })
    await addHelper(home, 'test', 'printf \'{"Username":"ada","Secret":"%s"}\' "$1 $(cat)"')
    expect(await find('alpine')).toMatchObject({ password: 'get https://index.docker.io/v1/' })
    expect(await find('a.io/x')).toMatchObject({ password: 'file' })
    expect(await find('b.io/x')).toMatchObject({ password: 'get b.io', source: 'docker-credential-test' })
  })

  it('may return an identity token, or no credentials', async () => {
    const { home, find } = await makeHome({
      '.docker/config.json': { credHelpers: { 'a.io': 'one', 'b.io': 'two' } },
    })
    await addHelper(home, 'one', 'echo \'{"Username":"<token>","Secret":"id"}\'')
    await addHelper(home, 'two', 'echo "credentials not found in native keychain"; exit 1')
    expect(await find('a.io/x')).toEqual({
      kind: 'identity_token',
      token: 'id',
      source: 'docker-credential-one',
    })
    expect(await find('b.io/x')).toBeUndefined()
  })

  it.each([
    ['exit 3', /docker-credential-test failed for a\.io \(exit code 3\)/],
    ['echo no', /answered without a user name and a secret/],
    ['echo \'{"Username":"ada"}\'', /answered without/],
    ['yes', /failed for a\.io \(exit code null\)/],
  ])('that does %j is refused', async (script, message) => {
    const { home, find } = await makeHome({ '.docker/config.json': { credsStore: 'test' } })
    await addHelper(home, 'test', script)
    await expectProblem(find('a.io/x'), 'not_allowed', message)
  })

  it('that is not installed is refused', async () => {
    const { find } = await makeHome({ '.docker/config.json': { credsStore: 'missing' } })
    await expectProblem(find('a.io/x'), 'not_allowed', /docker-credential-missing cannot be started/)
  })

  it.each(['../evil', 'a b', 'A', 'x;y', '/bin/sh'])('with the name %j is never started', async name => {
    const { find } = await makeHome({ '.docker/config.json': { credsStore: name } })
    await expectProblem(find('a.io/x'), 'invalid', /has a name with other characters/)
  })
})
