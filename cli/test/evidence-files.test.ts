// Files of tools: what is no evidence of the kind asked for is refused by name, and what is skipped is said.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeBuild, makeFingerprint, nameTrail } from '../../server/test/reports.ts'
import { serveCli } from './served-cli.ts'

const PASSED = '<testsuite name="unit"><testcase name="adds"/></testsuite>'
const FAILED = '<testsuite name="more"><testcase name="breaks"><failure/></testcase></testsuite>'

const served = serveCli({ role: 'member' }, async ({ cli }) => {
  await cli.run('create flow files --use-empty-template')
  await cli.run('begin trail t --flow files')
})
let folder: string
let count = 0
beforeEach(() => {
  folder = `case-${count++}`
})

function write(name: string, content: string | Buffer): string {
  const path = join(served.cli.folder, folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return `${folder}/${name}`
}

const attest = (line: string) => served.cli.run(`attest ${line} --name ${folder} --flow files --trail t`)
const attestTests = () => attest(`junit --results-dir ${folder}`)

async function readAttested(): Promise<Record<string, unknown>[]> {
  return (await served.app.member.get(`/attestations/acme/files/trail/t/${folder}`)).body
}

async function expectRefused(ran: ReturnType<typeof attest>, ...sentences: string[]): Promise<void> {
  const { code, stderr } = await ran
  expect(code, stderr).toBe(2)
  for (const sentence of sentences) expect(stderr).toContain(sentence)
  expect(await readAttested()).toEqual([])
}

describe('attest junit', () => {
  it('reads compressed and linked files, and names what it skips', async () => {
    write('a.xml', PASSED)
    write('b.xml.gz', gzipSync(FAILED))
    write('pom.xml', '<!DOCTYPE project [<!ENTITY a "b">]><project/>')
    write('coverage.xml', '<coverage line-rate="1"/>')
    symlinkSync('a.xml', join(served.cli.folder, folder, 'link.xml'))
    const { code, stderr } = await attestTests()
    expect(code, stderr).toBe(0)
    expect(stderr).toContain(`${folder}/coverage.xml (cobertura), ${folder}/pom.xml (no test results)`)
    const [attested] = await readAttested()
    expect(attested).toMatchObject({ is_compliant: false })
    expect(attested?.junit_results).toHaveLength(3)
  })

  it.each([
    ['NUnit 3', '<test-run result="Failed"/>'],
    ['xUnit 2', '<assemblies/>'],
    ['TestNG', '<testng-results failed="1"/>'],
  ])('refuses a folder that also has results of %s', async (name, content) => {
    write('a.xml', PASSED)
    write('results.xml', content)
    await expectRefused(attestTests(), `${folder}/results.xml: expected JUnit XML, found ${name}.`)
  })

  it('refuses JUnit XML that it cannot read', async () => {
    write('a.xml', PASSED)
    write('b.xml', `<!DOCTYPE testsuite [<!ENTITY a "b">]>${FAILED}`)
    await expectRefused(attestTests(), `${folder}/b.xml`)
  })

  it.each([
    ['there is no file', ''],
    ['no suite has a test', '<testsuite name="unit" tests="0"/>'],
    ['every test was skipped', '<testsuite><testcase name="a"><skipped/></testcase></testsuite>'],
  ])('refuses if %s', async (_, content) => {
    write('notes.txt', 'x')
    if (content !== '') write('a.xml', content)
    await expectRefused(attestTests(), 'no test ran')
  })
})

describe('a file of another tool', () => {
  it.each([
    ['trivy', '{"bomFormat": "CycloneDX"}', 'found cyclonedx-json. Record it with attest sbom.'],
    [
      'gitleaks',
      '[{"code": "DL3008", "level": "warning", "line": 1, "message": "x"}]',
      'found a Hadolint report',
    ],
    ['sarif', '{"@programName": "ZAP", "site": []}', 'found a ZAP report'],
    ['cobertura', '<coverage clover="4"/>', 'found Clover'],
    ['sarif', '{"config":{"protocol_version":"v1.0.0"}}\n{"finding":{}}', 'found a govulncheck report'],
  ])('is refused by attest %s: %s', async (word, content, sentence) => {
    await expectRefused(attest(`${word} --file ${write('out', content)}`), sentence)
  })

  it('is refused by attest snyk, even if it lists no vulnerability', async () => {
    const file = write('out.json', '{"vulnerabilities": []}')
    await expectRefused(attest(`snyk --scan-results ${file}`), '$.ok: expected whether the test passed')
  })

  it('is refused by attest sbom if it lists nothing', async () => {
    const file = write(
      'bom.json',
      '{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": []}',
    )
    await expectRefused(attest(`sbom --sbom-file ${file}`), 'lists no packages')
  })
})

it('a report with the secrets that Gitleaks found stays here', async () => {
  const leak = { RuleID: 'aws', File: 'a.env', StartLine: 1, Secret: 'AKIAEXAMPLE' }
  const file = write('gitleaks.json', JSON.stringify([leak]))
  await expectRefused(attest(`gitleaks --file ${file}`), 'contains the secrets', '--redact')
})

it('an SBOM of another artifact is recorded with its file, and is not compliant', async () => {
  const fingerprint = makeFingerprint('a')
  await served.app.member.post('/artifacts/acme/files', makeBuild(fingerprint, nameTrail('t')))
  const hashes = [{ alg: 'SHA-256', content: makeFingerprint('b') }]
  const component = { type: 'container', name: 'other', hashes }
  const components = [{ type: 'library', name: 'zlib', version: '1.3' }]
  const file = write(
    'bom.json',
    JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component }, components }),
  )
  const { code, stderr } = await attest(`sbom --sbom-file ${file} --fingerprint ${fingerprint}`)
  expect(code, stderr).toBe(0)
  const { body } = await served.app.member.get(`/attestations/acme/files/artifact/${fingerprint}/${folder}`)
  expect(body[0]).toMatchObject({ is_compliant: false, evidence_files: [{ name: 'bom.json' }] })
  expect(body[0].verdict.found).toBe(`an SBOM of ${makeFingerprint('b')}`)
})
