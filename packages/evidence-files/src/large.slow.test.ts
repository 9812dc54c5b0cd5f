// Large files, read in a separate process with a limited heap.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

const COMPONENTS = 100_000
const HEAP_MB = 256
const MB = 1_000_000

const folder = mkdtempSync(join(tmpdir(), 'waybill-evidence-'))
const program = join(folder, 'program.mjs')
beforeAll(async () => {
  await build({
    stdin: {
      contents: `import { readFileSync } from 'node:fs'
        import { openEvidence, readSbom, recognizeFile } from './index.ts'
        const file = openEvidence('sbom', readFileSync(process.argv[2]))
        const { format } = recognizeFile(file)
        console.log(JSON.stringify([format, readSbom(file).attestation_data.document.package_count]))`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const listComponents = <T>(describeOne: (i: number) => T): T[] =>
  Array.from({ length: COMPONENTS }, (_, i) => describeOne(i))

function buildJson(): string {
  const components = listComponents(i => ({
    type: 'library',
    'bom-ref': `pkg:npm/package-${i}@1.${i % 50}.0`,
    name: `package-${i}`,
    version: `1.${i % 50}.0`,
    purl: `pkg:npm/package-${i}@1.${i % 50}.0`,
    description:
      'A component with a description of the usual length, as package managers show it in their lists',
    hashes: [{ alg: 'SHA-256', content: String(i).padStart(64, '0') }],
    licenses: [{ license: { id: 'Apache-2.0' } }],
    externalReferences: [{ type: 'website', url: `https://packages.example/package-${i}` }],
    properties: [{ name: 'package:path', value: `node_modules/package-${i}` }],
  }))
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components })
}

function buildXml(): string {
  const describeOne = (i: number) =>
    `<component type="library"><name>package-${i}</name><version>1.${i % 50}.0</version><hashes><hash alg="SHA-256">${String(i).padStart(64, '0')}</hash></hashes><licenses><license><id>Apache-2.0</id></license></licenses><purl>pkg:npm/package-${i}@1.${i % 50}.0</purl></component>`
  const components = listComponents(describeOne).join('\n')
  return `<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components>${components}</components></bom>`
}

it.each([
  ['JSON', 'cyclonedx-json', buildJson, 50 * MB],
  ['XML', 'cyclonedx-xml', buildXml, 20 * MB],
])(
  'an SBOM in %s with 100,000 components is read with a heap of 256 MB',
  async (_, format, buildText, bytes) => {
    const path = join(folder, format)
    const text = buildText()
    expect(text.length).toBeGreaterThan(bytes)
    writeFileSync(path, text)
    const args = [`--max-old-space-size=${HEAP_MB}`, program, path]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(JSON.parse(stdout)).toEqual([format, COMPONENTS])
  },
)
