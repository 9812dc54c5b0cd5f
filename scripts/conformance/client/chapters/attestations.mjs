// Attestations of every type that the client can create without another service, read back and evaluated.

const TRAIL = '--flow backend-ci --trail build-1'
const describeSent = name => `attestation '${name}' is reported to trail: build-1`

export const attestations = {
  title: 'attestations',
  steps: [
    {
      run: `attest generic --name review ${TRAIL} --compliant=false --description 'Not yet'`,
      says: "generic attestation 'review' is reported to trail: build-1",
    },
    { run: 'get trail build-1 --flow backend-ci -o json', json: { compliance_state: 'NON-COMPLIANT' } },
    {
      run: `attest generic --name review ${TRAIL} --attachments evidence/notes.txt --user-data user-data.json --annotate by=ada`,
      says: describeSent('review'),
    },
    {
      run: `attest generic --name backend.later ${TRAIL} --commit HEAD --attachments evidence,results --redact-commit-info author,message`,
      says: describeSent('later'),
    },
    {
      run: `attest junit backend.tgz --artifact-type file --name unit-tests ${TRAIL} --results-dir results`,
      says: describeSent('unit-tests'),
    },
    {
      run: `attest snyk --name scan ${TRAIL} --fingerprint <backend> --scan-results clean.sarif.json`,
      says: describeSent('scan'),
    },
    { run: 'get trail build-1 --flow backend-ci -o json', json: { compliance_state: 'COMPLIANT' } },
    { run: 'get artifact backend-ci@<backend> -o json', json: { state: 'COMPLIANT' } },
    {
      run: `attest custom --type coverage --name coverage ${TRAIL} --attestation-data coverage.json`,
      says: describeSent('coverage'),
    },
    {
      run: `attest custom --type coverage --name coverage ${TRAIL} --attestation-data low-coverage.json`,
      says: describeSent('coverage'),
    },
    { run: 'get trail build-1 --flow backend-ci -o json', json: { compliance_state: 'NON-COMPLIANT' } },
    {
      run: `attest override --name coverage ${TRAIL} --original-attestation-type custom:coverage --new-compliance-status --reason 'A generated file'`,
      says: 'coverage',
    },
    { run: 'get trail build-1 --flow backend-ci -o json', json: { compliance_state: 'COMPLIANT' } },
    {
      run: `attest junit --name nightly --flow releases --trail free --results-dir failing-results --upload-results=false`,
      says: "'nightly'",
    },
    {
      run: `attest snyk --name scan --flow releases --trail free --scan-results vulnerable.sarif.json`,
      says: "'scan'",
    },
    {
      run: `attest sbom --name bom --flow releases --trail free --sbom-file sbom.cdx.json`,
      says: "sbom attestation 'bom' is reported to trail: free",
    },
    {
      run: 'get attestation bom --flow releases --trail free -o json',
      json: [
        { attestation_type: 'system:sbom', is_compliant: true, annotations: { sbom_format: /^cyclonedx/ } },
      ],
    },
    { run: 'get trail free --flow releases -o json', json: { compliance_state: 'NON-COMPLIANT' } },
    {
      run: `get attestation review ${TRAIL} -o json`,
      json: [
        {
          attestation_name: 'review',
          attestation_type: 'generic',
          is_compliant: true,
          user_data: { ticket: 'PAY-7' },
          annotations: { by: 'ada' },
          evidence_archive_path: /./,
        },
        { is_compliant: false },
      ],
      keep: { review_id: answer => answer[0].attestation_id },
    },
    { run: `get attestation review ${TRAIL}`, says: ['review', 'generic'] },
    {
      run: 'get attestation unit-tests --flow backend-ci --fingerprint <backend> -o json',
      json: [
        { junit_results: [{ name: 'backend', total: 2, failures: 0 }], artifact_fingerprint: '<backend>' },
      ],
    },
    {
      run: 'get attestation scan --flow releases --trail free -o json',
      json: [{ processed_snyk_results: { results: [{ high_count: 1 }] }, is_compliant: false }],
    },
    { run: 'get attestation --attestation-id <review_id>', says: 'review' },
    { run: 'get attestation --attestation-id <review_id> -o json', says: '<review_id>' },
    { run: `get attestation nothing ${TRAIL}`, says: 'No attestations found' },
    {
      run: `attest generic --name review --flow backend-ci --trail nowhere`,
      fails: "Trail with name 'nowhere' does not exist for Organization 'demo-org' and Flow 'backend-ci'",
    },
    {
      run: `attest generic --name review --flow nowhere --trail build-1`,
      fails: "Flow named 'nowhere' does not exist for organization 'demo-org'",
    },
    {
      run: `attest generic --name review ${TRAIL} --fingerprint <unknown>`,
      fails:
        'Artifact with fingerprint <unknown> does not exist in trail "build-1" of flow "backend-ci" belonging to organization "demo-org"',
    },
    { run: `attest generic --name backend.later ${TRAIL}`, fails: /requires at least one of: .*--commit/ },
    {
      run: `attest custom --type coverage --name coverage ${TRAIL} --attestation-data wrong-coverage.json`,
      fails: 'data_json.attestation_data.lines:Input should be a valid number [input: many]',
    },
    {
      run: `attest custom --type nowhere --name coverage ${TRAIL} --attestation-data coverage.json`,
      fails: "Custom attestation type 'nowhere' does not exist for org 'demo-org'",
    },
    {
      run: `attest override --name coverage ${TRAIL} --original-attestation-type custom --new-compliance-status --reason x`,
      fails: 'original_attestation_type',
    },
    {
      run: `attest generic --name review ${TRAIL} --attachments too-big.bin`,
      fails: 'A file part is larger than 67108864 bytes',
    },
  ],
}
