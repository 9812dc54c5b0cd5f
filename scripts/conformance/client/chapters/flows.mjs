// Flows: creates, finds, updates, renames and archives them.
import { contains } from '../shape.mjs'

export const flows = {
  title: 'flows',
  steps: [
    {
      run: "create flow backend-ci --description 'Builds of the backend' --template-file template.yml",
      says: "flow 'backend-ci' was created",
    },
    {
      run: "create flow backend-ci --description 'Builds of the backend' --template-file template.yml",
      says: "flow 'backend-ci' was updated",
    },
    { run: 'create flow releases --use-empty-template', says: "flow 'releases' was created" },
    { run: 'create flow older --template tests,scan', says: "flow 'older' was created" },
    {
      run: 'get flow backend-ci -o json',
      json: {
        name: 'backend-ci',
        description: 'Builds of the backend',
        visibility: 'private',
        org: 'demo-org',
        tags: {},
        template: /^version: 1\n/,
      },
    },
    { run: 'get flow backend-ci', says: ['backend-ci', 'Builds of the backend', 'name: unit-tests', 'N/A'] },
    { run: 'get flow older -o json', json: { template: /name: artifact[\s\S]*tests[\s\S]*scan/ } },
    { run: 'list flows', says: ['backend-ci', 'releases', 'older'] },
    { run: 'list flows -o json', json: contains({ name: 'releases' }) },
    {
      run: 'list flows --page-limit 2 --page 2',
      says: ['releases', 'Showing page 2 of 2, total 3 items'],
      silent: 'backend-ci',
    },
    { run: 'list flows --name END', says: 'No flows were found.' },
    { run: 'list flows --name END --ignore-case', says: 'backend-ci' },
    { run: 'rename flow older legacy', says: 'flow older was renamed to legacy' },
    { run: 'get flow older -o json', json: { name: 'legacy' } },
    { run: 'archive flow legacy', says: 'flow legacy was archived' },
    { run: 'get flow legacy', fails: "Flow named 'legacy' has been archived for organization 'demo-org'" },
    { run: 'list flows', silent: 'legacy' },
    {
      run: "create flow 'bad name' --use-empty-template",
      fails: ['Input payload validation failed', 'bad name'],
    },
    {
      run: 'create flow wrong --template-file unknown-type.yml',
      fails: ['Input payload validation failed', 'not-supported'],
    },
    { run: 'create flow wrong --template-file broken.yml', fails: 'Input payload validation failed' },
    { run: 'get flow nowhere', fails: "Flow named 'nowhere' does not exist for organization 'demo-org'" },
    {
      run: 'archive flow nowhere',
      fails: "Flow named 'nowhere' does not exist for organization 'demo-org'",
    },
    {
      run: 'rename flow nowhere somewhere',
      fails: "Flow named 'nowhere' does not exist for organization 'demo-org'",
    },
    {
      run: "rename flow releases 'new illegal name'",
      fails:
        "Input payload validation failed: map[new_name:String should match pattern '^[a-zA-Z0-9][a-zA-Z0-9\\.\\-_~]*$' [input: new illegal name]]",
    },
    {
      run: 'rename flow releases backend-ci',
      fails: "A flow named 'backend-ci' already exists in organization 'demo-org'",
    },
  ],
}
