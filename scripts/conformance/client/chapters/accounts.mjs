// Service accounts, their keys, and the errors for a key whose role is too low.

const AS_READER = { KOSLI_API_TOKEN: '<reader_key>' }
const AS_SNAPSHOTTER = { KOSLI_API_TOKEN: '<snapshotter_key>' }
const NOT_ALLOWED = "You don't have permission to access this resource"

export const accounts = {
  title: 'accounts',
  steps: [
    { run: 'list service-accounts', says: 'No service accounts were found' },
    { run: "create service-account looker --privilege reader --description 'Looks on'", says: 'looker' },
    { run: 'create service-account reporter --privilege snapshotter', says: 'reporter' },
    { run: 'create service-account spare --privilege member', says: 'spare' },
    { run: 'get service-account looker', says: ['looker', 'reader', 'Looks on'] },
    {
      run: 'get service-account looker -o json',
      json: { name: 'looker', privilege: 'reader', description: 'Looks on' },
    },
    { run: 'list service-accounts', says: ['looker', 'reporter', 'spare'] },
    { run: 'list service-accounts -o json', json: all => all.length === 3 },
    { run: "update service-account spare --privilege reader --description 'Not needed'", says: 'spare' },
    { run: 'get service-account spare -o json', json: { privilege: 'reader', description: 'Not needed' } },
    { run: 'list api-keys --service-account looker', says: /^No .* were found/m },
    {
      run: 'create api-key --service-account looker --description ci -o json',
      json: { key: /^wb_/ },
      keep: { reader_key: made => made.key, key_id: made => made.id },
    },
    {
      run: 'create api-key --service-account reporter --description ci --expires-at 2099-12-31 -o json',
      json: { key: /^wb_/, expires_at: 4102358400 },
      keep: { snapshotter_key: made => made.key },
    },
    { run: 'create api-key --service-account spare --description ci', says: 'wb_' },
    { run: 'list api-keys --service-account looker', says: '<key_id>', silent: '<reader_key>' },
    {
      run: 'list api-keys --service-account looker -o json',
      json: [{ id: '<key_id>', description: 'ci', last_used_at: 0 }],
    },
    { run: 'get api-key <key_id> --service-account looker', says: ['<key_id>', 'ci'] },
    { run: 'get api-key <key_id> --service-account looker -o json', json: { id: '<key_id>' } },
    { run: 'list flows', env: AS_READER, says: 'backend-ci' },
    { run: 'create flow not-mine --use-empty-template', env: AS_READER, fails: NOT_ALLOWED },
    { run: 'begin trail not-mine --flow backend-ci', env: AS_READER, fails: NOT_ALLOWED },
    { run: 'snapshot path production --name backend --path backend.tgz', env: AS_READER, fails: NOT_ALLOWED },
    {
      run: 'snapshot path production --name backend --path backend.tgz',
      env: AS_SNAPSHOTTER,
      says: '[1] artifacts',
    },
    { run: 'archive environment production', env: AS_SNAPSHOTTER, fails: NOT_ALLOWED },
    {
      run: 'rotate api-key <key_id> --service-account looker --grace-period-hours 0',
      fails: 'grace_period_hours:Input should be greater than or equal to 1 [input: 0]',
    },
    {
      run: 'rotate api-key <key_id> --service-account looker --grace-period-hours 1 -o json',
      json: made => (Array.isArray(made) ? made[0] : made).key.startsWith('wb_'),
      keep: { next_key: made => (Array.isArray(made) ? made[0] : made).key },
    },
    { run: 'list flows', env: AS_READER, says: 'backend-ci' },
    { run: 'list flows', env: { KOSLI_API_TOKEN: '<next_key>' }, says: 'backend-ci' },
    { run: 'delete api-key <key_id> --service-account looker', input: 'n\n', says: 'was cancelled' },
    { run: 'list flows', env: AS_READER, says: 'backend-ci' },
    { run: 'delete api-key <key_id> --service-account looker', input: 'y\n', says: '<key_id>' },
    { run: 'list flows', env: AS_READER, fails: 'The API key is not valid' },
    { run: 'delete api-key <key_id> --service-account looker --assume-yes', fails: 'API key not found' },
    { run: 'delete service-account spare', input: 'y\n', says: 'spare' },
    { run: 'get service-account spare', fails: 'Service account not found' },
    { run: 'get service-account nowhere', fails: 'Service account not found' },
    { run: 'update service-account nowhere --description x', fails: 'Service account not found' },
    { run: 'delete service-account nowhere --assume-yes', fails: 'Service account not found' },
    { run: 'list api-keys --service-account nowhere', fails: 'Service account not found' },
    { run: 'get api-key nowhere --service-account looker', fails: 'API key not found' },
    { run: 'delete api-key nowhere --service-account looker --assume-yes', fails: 'API key not found' },
    { run: 'rotate api-key nowhere --service-account looker', fails: 'API key not found' },
    { run: "create service-account 'bad name' --privilege member", fails: 'bad name' },
    { run: 'create service-account wrong --privilege king', fails: 'king' },
    { run: 'create service-account looker --privilege reader', fails: 'looker' },
  ],
}
