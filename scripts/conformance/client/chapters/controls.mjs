// Controls, decisions on them, and policies and templates that require a decision.
import { isTime } from '../shape.mjs'

const TRAIL = '--flow backend-ci --trail build-1'
const AS_SNAPSHOTTER = { KOSLI_API_TOKEN: '<snapshotter_key>' }
const MISSING = "Control 'NO-SUCH' does not exist in org"

export const controls = {
  title: 'controls',
  steps: [
    { run: 'list controls', says: 'No controls were found' },
    {
      run: "create control SDLC-1 --name 'Code is reviewed' --description 'By somebody else'",
      says: 'SDLC-1',
    },
    { run: "create control SDLC-2 --name 'Artifacts are scanned'", says: 'SDLC-2' },
    { run: "create control ops.3 --name 'Backups are tried'", says: 'ops.3' },
    {
      run: 'get control SDLC-1 -o json',
      json: {
        identifier: 'SDLC-1',
        name: 'Code is reviewed',
        description: 'By somebody else',
        version: 1,
        archived: false,
        created_by: 'admin',
        created_at: isTime,
        tags: {},
        links: {},
        policies_referencing: [],
      },
    },
    { run: 'get control SDLC-1', says: ['SDLC-1', 'Code is reviewed', 'By somebody else'] },
    { run: 'list controls', says: ['SDLC-1', 'SDLC-2', 'ops.3'] },
    {
      run: 'list controls --page-limit 2 --page 2 -o json',
      json: { controls: [{}], page: 2, per_page: 2, total_pages: 2, total_count: 3 },
    },
    { run: 'list controls --page 9 -o json', json: { controls: [], total_count: 3 } },
    { run: 'list controls --search sdlc', says: ['SDLC-1', 'SDLC-2'], silent: 'ops.3' },
    { run: 'list controls --search BACKUPS', says: 'ops.3', silent: 'SDLC' },
    {
      run: 'list controls --sort-direction desc -o json',
      json: { controls: [{ identifier: 'SDLC-1' }, { identifier: 'ops.3' }, { identifier: 'SDLC-2' }] },
    },
    {
      run: "update control SDLC-1 --name 'Code is reviewed by another' --link runbook=https://example.com/runbook",
      says: 'SDLC-1',
    },
    { run: 'update control SDLC-1 --link law=https://example.com/law', says: 'SDLC-1' },
    {
      run: 'get control SDLC-1 -o json',
      json: {
        name: 'Code is reviewed by another',
        description: 'By somebody else',
        version: 3,
        links: found => Object.keys(found).join() === 'law',
      },
    },
    { run: 'tag control SDLC-1 --set framework=sdlc', says: 'SDLC-1' },
    { run: 'list controls --tag framework:sdlc', says: 'SDLC-1', silent: 'SDLC-2' },
    { run: 'list controls --tag framework', says: 'SDLC-1', silent: 'SDLC-2' },
    { run: 'get control SDLC-1 -o json', json: { version: 3, tags: { framework: 'sdlc' } } },
    { run: 'tag control SDLC-1 --unset framework', says: 'SDLC-1' },
    { run: 'archive control SDLC-2', says: 'SDLC-2' },
    { run: 'list controls', silent: 'SDLC-2' },
    { run: 'list controls --archived', says: 'SDLC-2', silent: 'SDLC-1' },
    { run: 'get control SDLC-2 -o json', json: { archived: true } },
    { run: 'unarchive control SDLC-2', says: 'SDLC-2' },
    { run: 'get control SDLC-2 -o json', json: { archived: false } },
    { run: 'create policy controlled controlled.yml', says: "policy 'controlled' was created" },
    { run: 'get control SDLC-1 -o json', json: { policies_referencing: ['controlled'] } },
    {
      run: 'assert artifact --fingerprint <backend> --flow backend-ci --policy controlled',
      fails: "artifact is missing required decision for control 'SDLC-1'",
    },
    {
      run: `attest decision --name reviewed --control SDLC-1 --compliant=false ${TRAIL} --fingerprint <backend>`,
      says: "'reviewed' is reported to trail: build-1",
    },
    {
      run: 'assert artifact --fingerprint <backend> --flow backend-ci --policy controlled',
      fails: "decision for control 'SDLC-1' is non-compliant in trail",
    },
    {
      run: `attest decision --name reviewed --control SDLC-1 --compliant ${TRAIL} --fingerprint <backend> --attachments evidence`,
      says: "'reviewed' is reported to trail: build-1",
    },
    {
      run: 'assert artifact --fingerprint <backend> --flow backend-ci --policy controlled',
      says: 'COMPLIANT',
    },
    {
      run: 'get attestation reviewed --flow backend-ci --fingerprint <backend> -o json',
      json: [{ attestation_type: 'system:decision', is_compliant: true }, { is_compliant: false }],
    },
    {
      run: "create control SDLC-1 --name 'Again'",
      fails: "A control with identifier 'SDLC-1' already exists in organization 'demo-org'",
    },
    {
      run: "create control 'bad identifier' --name x",
      fails:
        "Input payload validation failed: map[identifier:String should match pattern '^[a-zA-Z0-9\\-._~]+$' [input: bad identifier]]",
    },
    { run: 'create policy wrong unknown-control.yml', fails: 'NO-SUCH-CONTROL' },
    { run: 'get control NO-SUCH', fails: MISSING },
    { run: 'update control NO-SUCH --name x', fails: MISSING },
    { run: 'archive control NO-SUCH', fails: MISSING },
    { run: 'unarchive control NO-SUCH', fails: MISSING },
    {
      run: 'tag control NO-SUCH --set a=b',
      fails: `"Control 'NO-SUCH' does not exist in organization`,
    },
    {
      run: 'create control NOT-MINE --name x',
      env: AS_SNAPSHOTTER,
      fails: "You don't have permission to access this resource",
    },
  ],
}
