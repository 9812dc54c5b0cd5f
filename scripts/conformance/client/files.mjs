// All files that the steps use, by their path in the workspace.

const joinLines = (...all) => `${all.join('\n')}\n`

const SARIF_RESULT = {
  ruleId: 'SNYK-JS-EXAMPLE-1',
  level: 'error',
  message: { text: 'A high severity vulnerability' },
  locations: [{ physicalLocation: { artifactLocation: { uri: 'package.json' }, region: { startLine: 1 } } }],
}

const buildSarif = results =>
  JSON.stringify({
    $schema: 'https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Snyk Open Source', version: '1.1200.0', rules: [] } }, results }],
  })

const buildSuite = (name, failures) =>
  joinLines(
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${name}" tests="2" failures="${failures}" errors="0" skipped="0" time="0.5"`,
    '  timestamp="2026-01-02T03:04:05">',
    '  <testcase classname="a" name="one" time="0.2"/>',
    failures === 0
      ? '  <testcase classname="a" name="two" time="0.3"/>'
      : '  <testcase classname="a" name="two" time="0.3"><failure message="no">no</failure></testcase>',
    '</testsuite>',
  )

const MIB = 1024 * 1024

export const FILES = {
  'backend.tgz': 'what the build made\n',
  'stranger.bin': 'nobody knows where this comes from\n',
  'old.bin': 'built before there were trails\n',
  'client.yml': 'org: from-the-file\n',
  'site/index.html': '<p>hello</p>\n',
  'site/log/today.txt': 'noise\n',
  'template.yml': joinLines(
    'version: 1',
    'trail:',
    '  attestations:',
    '    - name: review',
    '      type: generic',
    '  artifacts:',
    '    - name: backend',
    '      attestations:',
    '        - name: unit-tests',
    '          type: junit',
    '        - name: scan',
    '          type: snyk',
  ),
  'short-template.yml': joinLines(
    'version: 1',
    'trail:',
    '  attestations:',
    '    - name: only-this',
    '      type: generic',
  ),
  'unknown-type.yml': joinLines(
    'version: 1',
    'trail:',
    '  attestations:',
    '    - name: review',
    '      type: not-supported',
  ),
  'broken.yml': 'version: [1\n',
  'user-data.json': '{"ticket": "PAY-7"}\n',
  // Just above the size limits of a form part and of an attachment.
  'too-much-data.json': JSON.stringify({ text: 'x'.repeat(MIB) }),
  'too-big.bin': 'x'.repeat(64 * MIB + 1),
  'results/backend.xml': buildSuite('backend', 0),
  'failing-results/backend.xml': buildSuite('backend', 1),
  'clean.sarif.json': buildSarif([]),
  'vulnerable.sarif.json': buildSarif([SARIF_RESULT]),
  'evidence/notes.txt': 'looked at it\n',
  'evidence/more.txt': 'and again\n',
  'coverage-schema.json': JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { lines: { type: 'number' } },
    required: ['lines'],
  }),
  'bad-schema.json': '{"type": "no-such-type"}',
  'coverage.json': '{"lines": 91}',
  'low-coverage.json': '{"lines": 12}',
  'wrong-coverage.json': '{"lines": "many"}',
  'sbom.cdx.json': JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    components: [{ type: 'library', name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' }],
  }),
  'paths.yml': joinLines(
    'version: 1',
    'artifacts:',
    '  backend:',
    '    path: backend.tgz',
    '  site:',
    '    path: site',
    '    exclude: [log]',
  ),
  'provenance.yml': joinLines(
    '_schema: https://docs.kosli.com/schemas/policy/v1',
    'artifacts:',
    '  provenance:',
    '    required: true',
  ),
  'tested.yml': joinLines(
    '_schema: https://docs.kosli.com/schemas/policy/v1',
    'artifacts:',
    '  provenance:',
    '    required: true',
    '  trail-compliance:',
    '    required: true',
    '  attestations:',
    '    - name: unit-tests',
    '      type: junit',
  ),
  'audited.yml': joinLines(
    '_schema: https://docs.kosli.com/schemas/policy/v1',
    'artifacts:',
    '  attestations:',
    '    - name: pen-test',
    '      type: generic',
  ),
  'wrong-policy.yml': joinLines('_schema: https://docs.kosli.com/schemas/policy/v1', 'artefacts: {}'),
  'controlled.yml': joinLines(
    '_schema: https://docs.kosli.com/schemas/policy/v1',
    'artifacts:',
    '  attestations:',
    '    - type: decision',
    '      for_control: SDLC-1',
  ),
  'unknown-control.yml': joinLines(
    '_schema: https://docs.kosli.com/schemas/policy/v1',
    'artifacts:',
    '  attestations:',
    '    - type: decision',
    '      for_control: NO-SUCH-CONTROL',
  ),
  'compliant.rego': joinLines(
    'package policy',
    '',
    'default allow = false',
    '',
    'allow if {',
    '  input.trail.compliance_status.is_compliant',
    '}',
  ),
  'all-compliant.rego': joinLines(
    'package policy',
    '',
    'default allow = false',
    '',
    'allow if {',
    '  every trail in input.trails { trail.compliance_status.is_compliant }',
    '}',
  ),
  'deny.rego': joinLines(
    'package policy',
    '',
    'default allow = false',
    '',
    'violations contains "never" if { true }',
  ),
}
