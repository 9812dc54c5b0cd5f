import { describe, expect, it } from 'vitest'
import { changeFixture, expectProblem, openText, readFixture, toJson } from './fixtures.testing.ts'
import { type EvidenceFile, readSbom, type SbomDocument } from './index.ts'

const SHA256 = '3f786850e387550fdab836ed7e6dc881de23001b6c0f3b4a5d6e7f8091a2b3c4'
const read = (file: EvidenceFile) => readSbom(file).attestation_data
const BARE = { created_at: null, tools: null, subject: null, package_count: 0 }

describe('an SBOM', () => {
  const spdx: SbomDocument = {
    created_at: '2026-03-03T09:00:00Z',
    tools: ['syft-1.20.0'],
    subject: { name: 'backend', version: '1.4.0', purl: 'pkg:oci/backend@1.4.0', sha256: SHA256 },
    package_count: 2,
  }
  const of_maven = {
    created_at: '2026-03-03T09:00:00+01:00',
    tools: ['cyclonedx-maven 2.9.1'],
    subject: { name: 'backend', version: '1.4.0', purl: 'pkg:maven/acme/backend@1.4.0', sha256: SHA256 },
    package_count: 2,
  }
  it.each<[string, string, SbomDocument]>([
    ['cyclonedx.json', 'cyclonedx-1.6', { ...spdx, tools: ['cdxgen 12.8.4', 'exporter'], package_count: 3 }],
    ['cyclonedx.xml', 'cyclonedx-1.4', of_maven],
    ['spdx.json', 'spdx-2.3', spdx],
    ['document.spdx', 'spdx-2.3', spdx],
  ])('is read from %s', (name, format, document) => {
    const file = readFixture(name)
    const { sha256 } = file.content_digest
    expect(readSbom(file)).toEqual({
      type_name: 'sbom',
      attestation_data: { format, original_fingerprint: sha256, document },
      annotations: { sbom_format: format, sbom_sha256: sha256 },
    })
  })

  it.each(['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'])(
    'of CycloneDX %s is read in JSON and XML',
    specVersion => {
      const json = toJson('a.json', { bomFormat: 'CycloneDX', specVersion })
      const xml = openText('a.xml', `<x:bom xmlns:x="http://cyclonedx.org/schema/bom/${specVersion}"/>`)
      for (const file of [json, xml]) {
        expect(read(file)).toMatchObject({ format: `cyclonedx-${specVersion}`, document: BARE })
      }
    },
  )

  it('of CycloneDX names its tools in a list up to 1.4, and not those without a name', () => {
    const tools = [{ vendor: 'Acme', name: 'a', version: '1' }, { name: 'b' }, { version: '3' }]
    const json = toJson('a.json', { bomFormat: 'CycloneDX', specVersion: '1.4', metadata: { tools } })
    expect(read(json).document.tools).toEqual(['a 1', 'b'])
    const items = '<component><name>a</name><version>1</version></component>'
    const xml = `<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><metadata><tools><components>${items}</components><services><service><name>b</name></service></services></tools></metadata></bom>`
    expect(read(openText('a.xml', xml)).document.tools).toEqual(['a 1', 'b'])
  })

  it.each([
    ['a lone package', { packages: [{ SPDXID: 'a', name: 'x' }] }, 'x'],
    [
      'the described package',
      {
        packages: [
          { SPDXID: 'a', name: 'x' },
          { SPDXID: 'b', name: 'y' },
        ],
        documentDescribes: ['b'],
      },
      'y',
    ],
    [
      'the package that says so itself',
      {
        packages: [
          { SPDXID: 'a', name: 'x' },
          { SPDXID: 'b', name: 'y' },
        ],
        relationships: [
          null,
          { spdxElementId: 'b', relationshipType: 'DESCRIBED_BY', relatedSpdxElement: 'SPDXRef-DOCUMENT' },
        ],
      },
      'y',
    ],
    [
      'nothing if several are described',
      {
        packages: [
          { SPDXID: 'a', name: 'x' },
          { SPDXID: 'b', name: 'y' },
        ],
        documentDescribes: ['a', 'b'],
      },
      undefined,
    ],
    [
      'nothing if none is described',
      {
        packages: [
          { SPDXID: 'a', name: 'x' },
          { SPDXID: 'b', name: 'y' },
        ],
      },
      undefined,
    ],
    [
      'nothing if a missing one is described',
      { packages: [{ SPDXID: 'a', name: 'x' }, { name: 'y' }], documentDescribes: ['c'] },
      undefined,
    ],
  ])('of SPDX is about %s', (_, rest, name) => {
    const json = toJson('a.json', { spdxVersion: 'SPDX-2.2', SPDXID: 'SPDXRef-DOCUMENT', ...rest })
    expect(read(json).document.subject?.name).toBe(name)
    expect(read(json).format).toBe('spdx-2.2')
  })
})

describe('an unreadable SBOM', () => {
  it.each<[string, EvidenceFile, string]>([
    [
      'both formats',
      toJson('a.json', { bomFormat: 'CycloneDX', specVersion: '1.6', spdxVersion: 'SPDX-2.3' }),
      'a.json, $: expected either bomFormat (CycloneDX) or spdxVersion (SPDX), found both.',
    ],
    ['no format', toJson('a.json', {}), "a.json, $.bomFormat: expected 'CycloneDX', found nothing."],
    [
      'an old version',
      changeFixture('cyclonedx.json', '"1.6"', '"1.1"'),
      "$.specVersion: expected one of the versions 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, found '1.1'.",
    ],
    [
      'a time without a zone',
      changeFixture('cyclonedx.json', '09:00:00Z', '09:00:00'),
      "$.metadata.timestamp: expected a time like 2026-01-02T03:04:05Z, found '2026-03-03T09:00:00'.",
    ],
    [
      'a day that does not exist',
      changeFixture('spdx.json', '2026-03-03', '2026-02-30'),
      '$.creationInfo.created: expected a time',
    ],
    [
      'a hash with a prefix',
      changeFixture('spdx.json', SHA256, `sha256:${SHA256}`),
      '$.packages[0].checksums[0].checksumValue: expected a SHA-256 (64 hex digits)',
    ],
    [
      'a short hash in XML',
      changeFixture('cyclonedx.xml', SHA256, 'abc'),
      "cyclonedx.xml, line 11: expected a SHA-256 (64 hex digits), found 'abc'.",
    ],
    [
      'components that are no list',
      toJson('a.json', { bomFormat: 'CycloneDX', specVersion: '1.6', components: {} }),
      '$.components: expected components (a list), found an object.',
    ],
    [
      'a component that is text',
      toJson('a.json', { bomFormat: 'CycloneDX', specVersion: '1.6', components: ['x'] }),
      "$.components[0]: expected a component (an object), found 'x'.",
    ],
    [
      'another namespace',
      changeFixture('cyclonedx.xml', 'http://cyclonedx.org', 'http://other.example'),
      "cyclonedx.xml, line 1: expected <bom> in the namespace http://cyclonedx.org/schema/bom/ of the versions 1.2 to 1.7, found 'bom' in 'http://other.example/schema/bom/1.4'.",
    ],
    [
      'SPDX 3',
      toJson('a.json', { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld' }),
      '$["@context"]: expected SPDX 2.1 to 2.3 in JSON or tag-value; SPDX 3 is not supported',
    ],
    [
      'a null package',
      toJson('a.json', { spdxVersion: 'SPDX-2.3', SPDXID: 'x', packages: [null] }),
      '$.packages[0]: expected a package (an object), found null.',
    ],
    [
      'no id',
      changeFixture('spdx.json', '"SPDXID": "SPDXRef-DOCUMENT",', ''),
      '$.SPDXID: expected the SPDXID of the document (SPDXRef-DOCUMENT).',
    ],
    [
      'no version',
      openText('a.spdx', 'DataLicense: CC0-1.0\n'),
      "a.spdx, line 1: expected an SPDX document of version SPDX-2.1, SPDX-2.2, SPDX-2.3, found ''.",
    ],
    [
      'no tags',
      openText('a.txt', 'hello\n'),
      "a.txt, line 1: expected a tag, a colon and a value, found 'hello'.",
    ],
    [
      'an open text',
      openText('a.spdx', 'SPDXVersion: SPDX-2.3\nDocumentComment: <text>no end\n'),
      'a.spdx, line 2: expected </text> after <text>.',
    ],
    [
      'a wrong checksum in tag-value',
      changeFixture('document.spdx', SHA256, 'abc'),
      'document.spdx, line 19: expected a SHA-256',
    ],
    ['nothing', openText('a.json', ''), 'a.json, line 1: expected an SPDX document'],
  ])('is refused: %s', (_, file, sentence) => expectProblem(() => readSbom(file), sentence))
})
