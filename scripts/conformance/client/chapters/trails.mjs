// Trails: begins, reads and lists them.
import { isTime } from '../shape.mjs'

export const trails = {
  title: 'trails',
  steps: [
    { run: 'begin trail build-1 --flow backend-ci', says: "trail 'build-1' was begun" },
    {
      run: "begin trail build-1 --flow backend-ci --description 'The first build' --user-data user-data.json --commit HEAD --origin-url https://ci.example.com/1 --external-url notes=https://example.com/notes",
      says: "trail 'build-1' was updated",
    },
    {
      run: 'begin trail build-2 --flow backend-ci --template-file short-template.yml --repo-id 4711 --repository acme/backend --repo-url https://git.example.com/acme/backend --repo-provider github',
      says: "trail 'build-2' was begun",
    },
    { run: 'begin trail free --flow releases', says: "trail 'free' was begun" },
    {
      run: 'get trail build-1 --flow backend-ci -o json',
      json: {
        name: 'build-1',
        description: 'The first build',
        compliance_state: 'INCOMPLETE',
        user_data: { ticket: 'PAY-7' },
        git_commit_info: { sha1: '<commit>', branch: 'main', message: 'The first backend' },
        origin_url: 'https://ci.example.com/1',
        external_urls: { notes: { href: 'https://example.com/notes' } },
        created_at: isTime,
      },
    },
    { run: 'get trail build-1 --flow backend-ci', says: ['build-1', 'INCOMPLETE', 'The first build'] },
    { run: 'get trail build-1 --flow backend-ci -o markdown', says: 'build-1' },
    { run: 'get trail free --flow releases -o json', json: { compliance_state: 'COMPLIANT' } },
    { run: 'list trails', says: ['build-1', 'build-2', 'free', 'Showing page 1 of 1, total 3 items'] },
    { run: 'list trails --flow backend-ci', says: 'total 2 items', silent: 'free' },
    {
      run: 'list trails --flow backend-ci --page-limit 1 --page 2 -o json',
      json: { data: [{ name: 'build-1' }], pagination: { page: 2, per_page: 1, page_count: 2, total: 2 } },
    },
    { run: 'list trails --fingerprint <unknown>', says: 'No trails were found' },
    { run: 'list trails --flow-tag team=nobody', says: 'No trails were found' },
    { run: 'list trails --flow nowhere', fails: "Flow named 'nowhere' does not exist" },
    {
      run: 'begin trail lost --flow nowhere',
      fails: "Flow named 'nowhere' does not exist for organization 'demo-org'",
    },
    { run: "begin trail 'foo?$bar' --flow backend-ci", fails: 'foo?$bar' },
    {
      run: 'begin trail wrong --flow backend-ci --template-file unknown-type.yml',
      fails: /\d validation errors for Template\n/,
    },
    {
      run: 'begin trail heavy --flow backend-ci --user-data too-much-data.json',
      fails: 'The part is larger than 1048576 bytes',
    },
    {
      run: "begin trail <long_name> --flow releases --description 'Zwölf Boxkämpfer, 東京'",
      says: "trail '<long_name>' was begun",
    },
    {
      run: 'get trail <long_name> --flow releases -o json',
      json: { name: '<long_name>', description: 'Zwölf Boxkämpfer, 東京' },
    },
    { run: 'begin trail <long_name>x --flow releases', fails: 'at most 255 characters' },
    {
      run: 'get trail nowhere --flow backend-ci',
      fails: "Trail with name 'nowhere' does not exist for Organization 'demo-org' and Flow 'backend-ci'",
    },
  ],
}
