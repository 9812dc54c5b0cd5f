// Environments of every type, and a logical one.

const TYPES = ['K8S', 'ECS', 'S3', 'lambda', 'docker', 'azure-apps', 'cloud-run']
const MISSING = "Environment named 'nowhere' does not exist for organization 'demo-org'"

export const environments = {
  title: 'environments',
  steps: [
    {
      run: "create environment production --type server --description 'Where it counts'",
      says: 'environment production was created',
    },
    { run: 'create environment staging --type server', says: 'environment staging was created' },
    ...TYPES.map(type => ({
      run: `create environment of-${type} --type ${type}`,
      says: `environment of-${type} was created`,
    })),
    {
      run: 'create environment everything --type logical --included-environments staging',
      says: 'environment everything was created',
    },
    { run: 'create environment nothing-yet --type logical', says: 'environment nothing-yet was created' },
    {
      run: 'join environment --logical everything --physical production',
      says: "environment 'production' was joined to 'everything'",
    },
    {
      run: 'get environment everything -o json',
      json: { type: 'logical', included_environments: found => found.length === 2 },
    },
    {
      run: 'get environment production -o json',
      json: {
        name: 'production',
        type: 'server',
        description: 'Where it counts',
        state: null,
        last_reported_at: null,
        tags: {},
        policies: [],
      },
    },
    { run: 'get environment production', says: ['production', 'server', 'Where it counts', 'N/A'] },
    { run: 'get environment of-azure-apps -o json', json: { type: 'azure-apps' } },
    { run: 'list environments', says: ['everything', 'of-K8S', 'of-lambda'] },
    { run: 'list environments -o json', says: 'staging' },
    { run: 'list environments --type azure-apps,K8S', says: ['of-K8S', 'of-azure-apps'], silent: 'of-ECS' },
    { run: 'list environments --name PROD', says: 'production', silent: 'staging' },
    { run: 'list environments --page-limit 2 --page 3 --sort name --sort-direction desc', says: 'page 3 of' },
    { run: 'list environments --space-id none', says: 'No environments were found' },
    {
      run: 'rename environment of-docker containers',
      says: 'environment of-docker was renamed to containers',
    },
    { run: 'get environment of-docker -o json', json: { name: 'containers' } },
    { run: 'archive environment containers', says: 'environment containers was archived' },
    {
      run: 'get environment containers',
      fails: "Environment named 'containers' has been archived for organization 'demo-org'",
    },
    { run: 'list environments', silent: 'containers' },
    { run: 'create environment containers --type docker', says: 'environment containers was created' },
    { run: 'get environment nowhere', fails: MISSING },
    { run: 'archive environment nowhere', fails: MISSING },
    { run: 'rename environment nowhere somewhere', fails: MISSING },
    {
      run: "rename environment staging 'new illegal name'",
      fails:
        "Input payload validation failed: map[new_name:String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_]*$' [input: new illegal name]]",
    },
    { run: "create environment 'foo bar' --type server", fails: 'foo bar' },
    { run: 'create environment wrong --type k8s', fails: 'k8s' },
    { run: 'create environment wrong --type logical --included-environments nowhere', fails: MISSING },
    {
      run: 'create environment wrong --type logical --included-environments everything',
      fails: "The environment 'everything' is itself logical",
    },
    { run: 'join environment --logical everything --physical nowhere', fails: MISSING },
    {
      run: 'create environment staging --type K8S',
      fails: "The environment 'staging' is of type 'server' and cannot become 'K8S'",
    },
  ],
}
