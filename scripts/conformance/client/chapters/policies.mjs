// Policies, their effect on snapshots and artifacts, and the allow-list.

const MISSING = "Policy 'nowhere' does not exist in organization 'demo-org'"

export const policies = {
  title: 'policies',
  steps: [
    { run: 'assert snapshot production', fails: 'NON-COMPLIANT' },
    {
      run: "create policy known provenance.yml --description 'Only what we built' --comment first",
      says: "policy 'known' was created",
    },
    { run: 'create policy known provenance.yml --comment again', says: "policy 'known' was updated" },
    { run: 'create policy tested tested.yml', says: "policy 'tested' was created" },
    { run: 'create policy audited audited.yml', says: "policy 'audited' was created" },
    { run: 'get policy known', says: ['known', 'provenance'] },
    {
      run: 'get policy tested -o json',
      json: { name: 'tested', versions: [{ version: 1 }], consuming_envs: [] },
    },
    { run: 'list policies', says: ['known', 'tested', 'audited'] },
    { run: 'list policies -o json', json: all => all.length === 3 },
    {
      run: 'attach-policy known --environment production --environment staging',
      says: "policy 'known' is attached to environments: [production staging]",
    },
    { run: 'attach-policy known --environment production', says: 'known' },
    { run: 'get environment production -o json', json: { policies: ['known'], state: true } },
    { run: 'get environment staging -o json', json: { state: false } },
    { run: 'get environment production', says: 'COMPLIANT' },
    { run: 'assert snapshot production', says: 'COMPLIANT' },
    { run: 'assert snapshot production#3', says: 'COMPLIANT' },
    { run: 'assert snapshot production~1', fails: 'NON-COMPLIANT' },
    { run: 'assert snapshot staging', fails: 'NON-COMPLIANT' },
    { run: 'assert snapshot everything', fails: 'NON-COMPLIANT' },
    { run: 'assert snapshot nowhere', fails: "Environment named 'nowhere' does not exist" },
    {
      run: 'allow artifact stranger.bin --artifact-type file --environment staging --reason known',
      says: 'was allow listed',
    },
    { run: 'assert snapshot staging', says: 'COMPLIANT' },
    {
      run: 'allow artifact stranger.bin --artifact-type file --environment nowhere --reason known',
      fails: "Environment named 'nowhere'",
    },
    { run: 'assert artifact backend.tgz --artifact-type file', says: 'COMPLIANT' },
    { run: 'assert artifact --fingerprint <backend> --flow backend-ci', says: 'COMPLIANT' },
    { run: 'assert artifact --fingerprint <backend> --environment production', says: 'COMPLIANT' },
    {
      run: 'assert artifact --fingerprint <backend> --flow backend-ci --policy known,tested -o json',
      json: { scope: 'policy', compliant: true },
    },
    {
      run: 'assert artifact --fingerprint <backend> --policy audited',
      fails: ['Artifact is not compliant', 'pen-test'],
    },
    { run: 'assert artifact --fingerprint <unknown>', fails: '<unknown>' },
    {
      run: 'assert artifact --fingerprint <unknown> --flow backend-ci',
      fails:
        "Artifact with fingerprint '<unknown>' does not exist in flow 'backend-ci' belonging to organization 'demo-org'",
    },
    { run: 'assert artifact --fingerprint <backend> --policy nowhere', fails: MISSING },
    {
      run: 'assert artifact --fingerprint <backend> --environment nowhere',
      fails: "Environment named 'nowhere' does not exist",
    },
    { run: 'detach-policy known --environment staging', says: 'known' },
    { run: 'get environment staging -o json', json: { policies: [], state: null } },
    { run: 'get policy nowhere', fails: MISSING },
    {
      run: 'create policy wrong wrong-policy.yml',
      fails: 'policy.artefacts:line 2, column 1: Extra inputs are not permitted',
    },
    { run: 'create policy wrong broken.yml', fails: 'Input payload validation failed' },
    { run: "create policy 'bad name' provenance.yml", fails: 'bad name' },
  ],
}
