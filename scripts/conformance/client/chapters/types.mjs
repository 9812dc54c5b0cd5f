// Custom attestation types: versions, schema, jq rules.

export const types = {
  title: 'types',
  steps: [
    {
      run: "create attestation-type coverage --description 'Lines covered' --schema coverage-schema.json --jq '.lines >= 80' --summary Lines=.lines",
      says: 'attestation-type coverage was created',
    },
    {
      run: "create attestation-type coverage --schema coverage-schema.json --jq '.lines >= 90'",
      says: 'coverage',
    },
    { run: 'create attestation-type anything', says: 'attestation-type anything was created' },
    { run: 'get attestation-type coverage', says: ['coverage', '.lines >= 90'] },
    { run: 'get attestation-type coverage@v1', says: '.lines >= 80' },
    { run: 'get attestation-type coverage -o json', json: { name: 'coverage' } },
    { run: 'list attestation-types', says: ['coverage', 'anything'] },
    { run: 'list attestation-types -o json', json: all => all.length === 2 },
    { run: 'archive attestation-type anything', says: 'anything was archived' },
    { run: 'list attestation-types', silent: 'anything' },
    {
      run: 'create attestation-type wrong --schema bad-schema.json',
      fails: 'type_schema:Input should be a valid JSON Schema',
    },
    { run: "create attestation-type wrong --jq '.['", fails: 'Input should be a valid jq program' },
    { run: "create attestation-type 'bad name'", fails: 'bad name' },
    {
      run: 'get attestation-type nowhere',
      fails: "Custom attestation type 'nowhere' does not exist for org 'demo-org'",
    },
    {
      run: 'get attestation-type coverage@v10',
      fails: "version 10 does not exist for custom attestation type 'coverage'",
    },
    {
      run: 'archive attestation-type nowhere',
      fails: "Custom attestation type 'nowhere' does not exist for org 'demo-org'",
    },
  ],
}
