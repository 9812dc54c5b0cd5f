// Artifacts: reports them by file, folder and fingerprint, and finds them.
import { isTime } from '../shape.mjs'

const BUILD = '--build-url https://ci.example.com/1 --commit-url https://git.example.com/commit/1'

export const artifacts = {
  title: 'artifacts',
  steps: [
    {
      run: `attest artifact backend.tgz --artifact-type file --name backend --flow backend-ci --trail build-1 --commit HEAD ${BUILD} --annotate team=payments --external-url image=https://example.com/image`,
      says: 'backend.tgz',
    },
    {
      run: `attest artifact site --artifact-type dir --exclude log --name site --display-name web-site --flow releases --trail free --commit HEAD ${BUILD}`,
      says: 'site',
    },
    {
      run: `attest artifact backend.tgz --fingerprint <backend> --name backend --flow releases --trail begun-by-artifact --commit HEAD ${BUILD} --repo-id 4711 --repository acme/backend --repo-url https://git.example.com/acme/backend --repo-provider github`,
      says: 'backend.tgz',
    },
    {
      run: `report artifact old.bin --artifact-type file --flow releases --git-commit HEAD ${BUILD}`,
      says: 'old.bin',
    },
    {
      run: 'get artifact backend-ci@<backend> -o json',
      json: {
        filename: 'backend.tgz',
        fingerprint: '<backend>',
        flow_name: 'backend-ci',
        trail_name: 'build-1',
        template_reference_name: 'backend',
        git_commit: '<commit>',
        build_url: 'https://ci.example.com/1',
        state: 'INCOMPLETE',
        created_at: isTime,
        running: [],
        exited: [],
      },
    },
    { run: 'get artifact backend-ci@<backend>', says: ['backend.tgz', 'INCOMPLETE'] },
    { run: 'get artifact backend-ci:<commit>', says: 'backend.tgz' },
    { run: 'get artifact releases@<backend> --trail begun-by-artifact', says: 'backend.tgz' },
    { run: 'list artifacts', says: ['backend.tgz', 'web-site'] },
    { run: 'list artifacts --flow backend-ci -o json', json: [{ fingerprint: '<backend>' }] },
    { run: 'list artifacts --repo acme/backend', says: 'backend.tgz' },
    { run: 'list artifacts --page 9', says: 'No artifacts were found' },
    { run: 'search <backend>', says: ['backend.tgz', 'backend-ci'] },
    {
      run: 'search <short_commit> -o json',
      json: { resolved_to: { type: 'commit', full_match: '<commit>' } },
    },
    { run: 'search <commit>', says: 'backend.tgz' },
    { run: 'list trails --fingerprint <backend>', says: ['build-1', 'begun-by-artifact'] },
    { run: 'search <unknown>', fails: "No matches for '<unknown>'." },
    {
      run: 'get artifact backend-ci@<unknown>',
      fails:
        "Artifact with fingerprint '<unknown>' does not exist in flow 'backend-ci' belonging to organization 'demo-org'",
    },
    { run: 'get artifact nowhere@<backend>', fails: "Flow named 'nowhere' does not exist" },
    { run: 'list artifacts --flow nowhere', fails: "Flow named 'nowhere' does not exist" },
    { run: 'list artifacts --repo no/where', fails: "Repo 'no/where' not found" },
    {
      run: `attest artifact backend.tgz --fingerprint <backend> --name backend --flow nowhere --trail lost --commit HEAD ${BUILD}`,
      fails: "Flow named 'nowhere' does not exist for organization 'demo-org'",
    },
    {
      run: `attest artifact backend.tgz --fingerprint <backend> --name 'bad name' --flow backend-ci --trail build-1 --commit HEAD ${BUILD}`,
      fails: 'bad name',
    },
    {
      run: `attest artifact backend.tgz --fingerprint <backend> --name backend --flow backend-ci --trail build-1 --commit HEAD ${BUILD} --external-url file=https://example.com --external-fingerprint file=short`,
      fails: 'fingerprint',
    },
  ],
}
