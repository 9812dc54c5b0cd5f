// The pure parts of `npm run release`: how files are packed, and the content of a release's documents.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listClientFiles } from '../../../scripts/release/client-package.mjs'
import { compress, type Entry, makeFile, packTar, readTar } from '../../../scripts/release/entries.mjs'
import { listNeeded, readLock } from '../../../scripts/release/lock.mjs'
import { findSection, writeNotes } from '../../../scripts/release/notes.mjs'
import { listBundled } from '../../../scripts/release/notices.mjs'
import { listProgramFiles } from '../../../scripts/release/program-package.mjs'
import { makeProvenance } from '../../../scripts/release/provenance.mjs'
import { makeSbom } from '../../../scripts/release/sbom.mjs'
import { closeSection, setLockVersion, setVersion } from '../../../scripts/release/version.mjs'
import { root } from '../../../scripts/run/prepare.mjs'

const mtime = new Date('2026-01-02T03:04:05Z')
const LONG = `${'folder/'.repeat(20)}file`

describe('a packed file', () => {
  const entries: Entry[] = [
    makeFile('b/program', '#!/bin/sh\n', 0o755),
    makeFile('a', 'text'),
    makeFile(LONG, 'long'),
    { path: 'b/link', link: 'program' },
  ]

  it('has the same bytes whatever the order of its files', async () => {
    const [one, two] = await Promise.all(
      [entries, [...entries].reverse()].map(async each => compress(await packTar(each, { mtime }))),
    )
    expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true)
  })

  it('has no time and no system in its gzip header', async () => {
    expect([...(await compress(Buffer.from('x'))).subarray(0, 10)]).toEqual([
      31, 139, 8, 0, 0, 0, 0, 0, 0, 255,
    ])
  })

  it('returns the packed content, with the folders in between', async () => {
    const read = await readTar(await compress(await packTar(entries, { mtime })))
    expect(read.filter(({ folder }) => !folder)).toEqual(expect.arrayContaining(entries))
    expect(read.filter(({ folder }) => folder)[0]).toMatchObject({ path: 'b', mode: 0o755 })
    const stripped = await readTar(await packTar(entries, { mtime, folders: false }), { strip: 1 })
    expect(stripped.map(({ path }) => path)).toContain('program')
  })
})

describe('the packages', () => {
  const forbidden =
    /(^|\/)(\.env|\.npmrc|node_modules\/|.*\.test\.|.*\.testing\.|test\/)|(?<!\.d)\.tsx?$|\.map$/

  it.each([
    ['waybill', listProgramFiles('1.2.3')],
    ['@waybill/client', listClientFiles('1.2.3')],
  ])('%s has no sources, tests, source maps or settings', (name, files) => {
    expect(files.map(({ path }) => path).filter(path => forbidden.test(path))).toEqual([])
    const manifest = JSON.parse(files.find(({ path }) => path === 'package.json')?.body?.toString() ?? '{}')
    expect(manifest).toMatchObject({ name, version: '1.2.3', license: 'Apache-2.0' })
    expect(manifest.scripts).toBeUndefined()
  })

  it('waybill tells its version to the server too', () => {
    const found = listProgramFiles('1.2.3').find(({ path }) => path === 'dist/server/package.json')
    expect(JSON.parse(found?.body?.toString() ?? '{}').version).toBe('1.2.3')
  })
})

describe('the packages that a program needs', () => {
  const lock = {
    server: { dependencies: { a: '1' } },
    'node_modules/a': {
      version: '1.0.0',
      integrity: 'sha512-YQ==',
      dependencies: { b: '1', '@waybill/own': '1' },
    },
    'node_modules/a/node_modules/b': { version: '1.0.0', integrity: 'sha512-Yg==' },
    'node_modules/b': { version: '2.0.0', integrity: 'sha512-Yw==' },
    'node_modules/c': { version: '3.0.0', integrity: 'sha512-ZA==', dependencies: { b: '2' } },
    'node_modules/@waybill/own': { link: true, resolved: 'packages/own' },
    'packages/own': { dependencies: { c: '3' } },
  }

  it('are found as Node finds them, through our own packages', () => {
    expect(listNeeded(lock, ['a'], 'server').map(({ path, version }) => [path, version])).toEqual([
      ['node_modules/a', '1.0.0'],
      ['node_modules/a/node_modules/b', '1.0.0'],
      ['node_modules/b', '2.0.0'],
      ['node_modules/c', '3.0.0'],
    ])
  })

  it('must be in the lock file', () => {
    expect(() => listNeeded(lock, ['d'])).toThrow('package-lock.json has no d')
  })
})

describe('the SBOM', () => {
  const about = { name: 'waybill', version: '1.2.3', mtime }

  it('has a component for every package in the build, with its hash and licence', () => {
    const packages = listBundled(readLock())
    const { components, ...sbom } = makeSbom({ ...about, packages })
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const names = components.map(({ name }) => name)
    for (const name of ['fastify', 'pg', 'react', '@mantine/core', 'openapi-fetch', 'saxes', 'piscina'])
      expect(names).toContain(name)
    for (const name of ['vite', 'vitest', 'esbuild', '@types/react']) expect(names).not.toContain(name)
    expect(components.filter(({ hashes }) => hashes?.[0]?.content.length !== 128)).toEqual([])
    // The manifest of png-js names none; its text is in the notices.
    expect(components.filter(({ licenses }) => licenses === undefined).map(({ name }) => name)).toEqual([
      'png-js',
    ])
    expect(components.find(({ name }) => name === '@mantine/core')?.purl).toMatch(
      /^pkg:npm\/%40mantine\/core@9/,
    )
  })

  it('is the same for the same contents, and has another number for others', () => {
    const one = { name: 'a', version: '1.0.0', integrity: 'sha512-YQ==', license: 'MIT' }
    const make = (packages: (typeof one)[]) => makeSbom({ ...about, packages })
    expect(make([one])).toEqual(make([one, one]))
    expect(make([one]).serialNumber).not.toBe(make([{ ...one, version: '1.0.1' }]).serialNumber)
  })

  it('names Debian packages and licence expressions', () => {
    const npm = { name: 'a', version: '1.0.0', integrity: 'sha512-YQ==', license: '(MIT OR Apache-2.0)' }
    const debian = [{ name: 'libstdc++6', version: '14.2.0-19', sha256: 'ab' }]
    const { components } = makeSbom({ ...about, packages: [npm], debian, arch: 'x64' })
    expect(components.map(({ purl }) => purl)).toEqual([
      'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64',
      'pkg:npm/a@1.0.0',
    ])
    expect(components[1]?.licenses).toEqual([{ expression: '(MIT OR Apache-2.0)' }])
  })
})

describe('the provenance', () => {
  it('names the commit, every file and everything that was fetched', () => {
    const { subject, predicate, ...statement } = makeProvenance({
      version: '1.2.3',
      commit: 'c0ffee',
      isDirty: false,
      node: '24.0.0',
      files: [{ name: 'waybill.tgz', sha256: 'aa' }],
      lock_hashes: [{ name: 'package-lock.json', sha256: 'bb' }],
      fetched: [
        { name: '@a/b', version: '1.0.0', integrity: 'sha512-YQ==' },
        { archive: 'debian', file: 'pool/x.deb', sha256: 'cc' },
      ],
    })
    expect(statement).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
    })
    expect(subject).toEqual([{ name: 'waybill.tgz', digest: { sha256: 'aa' } }])
    expect(predicate.buildDefinition.resolvedDependencies).toEqual([
      { name: 'source', uri: 'git+waybill', digest: { gitCommit: 'c0ffee' } },
      { name: 'package-lock.json', digest: { sha256: 'bb' } },
      { uri: 'pkg:npm/%40a/b@1.0.0', digest: { sha512: '61' } },
      { uri: 'http://deb.debian.org/debian/pool/x.deb', digest: { sha256: 'cc' } },
    ])
  })
})

describe('the release notes', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.1.0] - 2026-01-02\n\n### Added\n\n- one\n\n## [1.0.0]\n\n- zero\n'

  it('are the section of the version', () => {
    expect(findSection(changelog, '1.1.0')).toBe('### Added\n\n- one')
    expect(findSection(changelog, '1.0.0')).toBe('- zero')
    expect(writeNotes(changelog, '1.1.0')).toBe('# Waybill 1.1.0\n\n### Added\n\n- one\n')
  })

  it('are the unreleased notes for a version without a section', () => {
    expect(writeNotes(changelog, '1.2.0-rc.1')).toBe('# Waybill 1.2.0-rc.1\n\n- new\n')
    expect(() => writeNotes('# Changelog\n', '1.0.0')).toThrow('CHANGELOG.md has neither')
  })
})

describe('a new version', () => {
  it('applies to our packages and their references to each other, and to nothing else', () => {
    const manifest = {
      name: 'waybill',
      version: '1.0.0',
      dependencies: { '@waybill/server': '1.0.0', yaml: '1.0.0' },
    }
    const expected = {
      name: 'waybill',
      version: '1.1.0',
      dependencies: { '@waybill/server': '1.1.0', yaml: '1.0.0' },
    }
    expect(setVersion(manifest, '1.1.0')).toEqual(expected)
    const packages = { '': { version: '1.0.0' }, cli: manifest, 'node_modules/yaml': { version: '1.0.0' } }
    expect(setLockVersion({ version: '1.0.0', packages }, '1.1.0')).toEqual({
      version: '1.1.0',
      packages: { '': { version: '1.1.0' }, cli: expected, 'node_modules/yaml': { version: '1.0.0' } },
    })
  })

  it('closes the section of the changelog, once', () => {
    const closed = closeSection('# Changelog\n\n## [Unreleased]\n\n- new\n', '1.1.0', '2026-01-02')
    expect(closed).toBe('# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-01-02\n\n- new\n')
    expect(findSection(closed, '1.1.0')).toBe('- new')
    expect(findSection(closed, 'Unreleased')).toBe('')
    expect(() => closeSection(closed, '1.1.0', '2026-01-02')).toThrow('has a section [1.1.0] already')
  })
})

describe('the lock of the base', () => {
  const lock = JSON.parse(readFileSync(join(root, 'scripts', 'release', 'base.lock.json'), 'utf8'))

  it('has the same packages for both platforms, each with a hash', () => {
    const list = (arch: string) => lock.debian[arch].map(({ name }: { name: string }) => name)
    expect(list('arm64')).toEqual(list('x64'))
    for (const { sha256 } of [...lock.debian.x64, ...lock.debian.arm64])
      expect(sha256).toHaveLength(createHash('sha256').digest('hex').length)
    for (const arch of ['x64', 'arm64'])
      expect(lock.node[arch]).toMatchObject({
        version: lock.node.version,
        integrity: expect.stringMatching(/^sha512-/),
      })
  })
})
