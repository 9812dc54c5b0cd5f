// An empty service: connecting to it, the client's own commands, and rejected credentials.

export const first = {
  title: 'first',
  steps: [
    { run: 'version', says: 'version.BuildInfo' },
    { run: 'status', says: 'OK' },
    { run: 'status --assert', says: 'OK' },
    { run: 'assert status', says: 'OK' },
    { run: 'status', env: { KOSLI_HOST: 'http://127.0.0.1:1' }, says: 'Kosli is Down' },
    { run: 'status --assert', env: { KOSLI_HOST: 'http://127.0.0.1:1' }, fails: 'is unresponsive' },
    { run: 'completion bash', says: 'bash completion' },
    { run: 'fingerprint backend.tgz --artifact-type file', says: '<backend>' },
    { run: 'list flows', says: 'No flows were found.' },
    { run: 'list flows -o json', json: [] },
    { run: 'list environments', says: 'No environments were found.' },
    { run: 'list policies', says: 'No environment policies were found.' },
    { run: 'list attestation-types', says: 'No attestation types were found.' },
    { run: 'list repos', says: 'No repos were found.' },
    { run: 'get default-org', says: '(none set)' },
    { run: 'update default-org demo-org', says: 'default organization is set to: demo-org' },
    { run: 'get default-org', says: 'demo-org' },
    { run: 'get default-org -o json', json: { default_org_name: 'demo-org' } },
    {
      run: 'update default-org somebody-elses',
      fails: 'Access denied to /api/v2/user/somebody-elses',
    },
    { run: 'list flows --api-token wb_user_wrong', fails: 'The API key is not valid' },
    {
      run: 'create flow mine --use-empty-template --api-token wb_user_wrong',
      fails: 'The API key is not valid',
    },
    { run: 'list flows --org somebody-elses', fails: 'Access denied to /api/v2/flows/somebody-elses' },
    {
      run: 'create flow dry --use-empty-template --dry-run',
      says: ['THIS IS A DRY-RUN', '"name": "dry"'],
    },
    {
      run: 'create flow dry --use-empty-template',
      env: { KOSLI_API_TOKEN: 'DRY_RUN' },
      says: 'THIS IS A DRY-RUN',
    },
    // The command `config` itself needs a desktop keyring, which most test machines lack.
    {
      run: 'list flows --config-file client.yml',
      env: { KOSLI_ORG: '' },
      fails: 'Access denied to /api/v2/flows/from-the-file',
    },
    {
      run: 'list flows --host <host>,<host> --api-token <key>,<key>',
      says: 'No flows were found.',
    },
    // Accepted without effect: there are no beta features here.
    { run: 'enable beta', says: '' },
    { run: 'disable beta', says: '' },
    { run: 'get flow dry', fails: "Flow named 'dry' does not exist for organization 'demo-org'" },
  ],
}
