// Environment reports, all notations of snapshots, comparisons and the log.

export const snapshots = {
  title: 'snapshots',
  steps: [
    {
      run: 'get snapshot production',
      fails:
        "Org: 'demo-org'. Snapshot 'production#-1' resolves to 'production#0'. len(snapshots) == 0. Indexes are 1-based",
    },
    { run: 'list snapshots production', says: 'No environment snapshots were found' },
    {
      run: 'snapshot path production --name backend --path backend.tgz',
      says: '[1] artifacts were reported to environment production',
    },
    {
      run: 'snapshot path production --name backend --path backend.tgz',
      says: '[1] artifacts were reported to environment production',
    },
    {
      run: 'snapshot paths production --paths-file paths.yml',
      says: '[2] artifacts were reported to environment production',
    },
    { run: 'snapshot path staging --name stranger --path stranger.bin', says: '[1] artifacts' },
    {
      run: 'get snapshot production -o json',
      json: {
        index: 2,
        type: 'server',
        is_latest: true,
        compliant: false,
        artifacts: all => all.length === 2,
      },
    },
    { run: 'get snapshot production', says: ['backend', 'site', '<short_commit>'] },
    {
      run: 'get snapshot production#1 -o json',
      json: { index: 1, artifacts: [{ fingerprint: '<backend>' }] },
    },
    { run: 'get snapshot production~1 -o json', json: { index: 1, is_latest: false } },
    { run: 'get snapshot production~0 -o json', json: { index: 2 } },
    { run: 'get snapshot production@{now} -o json', json: { index: 2 } },
    {
      run: 'get snapshot production@{2.hours.ago}',
      fails:
        "Snapshot 'production@{2.hours.ago}' resolves to 'production#0'. len(snapshots) == 2. Indexes are 1-based",
    },
    { run: 'get snapshot production@{2099-01-02T03:04:05} -o json', json: { index: 2 } },
    {
      run: 'get snapshot production@{2020-01-02T03:04:05}',
      fails: "resolves to 'production#0'",
    },
    {
      run: 'get snapshot production#23',
      fails: "Snapshot 'production#23' resolves to 'production#23'. len(snapshots) == 2. Indexes are 1-based",
    },
    { run: 'get snapshot nowhere', fails: "Environment named 'nowhere' does not exist" },
    { run: 'get snapshot production@{yesterday}', fails: 'Bad snappish @{yesterday}' },
    { run: 'list snapshots production', says: [/^2 +.* now /m, /^1 /m] },
    { run: 'list snapshots production -o json', json: [{ index: 2 }, { index: 1 }] },
    { run: 'list snapshots production --reverse -o json', json: [{ index: 1 }, { index: 2 }] },
    { run: 'list snapshots production --interval 1..1 -o json', json: [{ index: 1 }] },
    { run: 'list snapshots production --page-limit 1 --page 2 -o json', json: [{ index: 1 }] },
    { run: 'list snapshots nowhere', fails: "Environment named 'nowhere' does not exist" },
    { run: 'get snapshot everything -o json', json: { type: 'logical', artifacts: all => all.length === 3 } },
    { run: 'diff snapshots production~1 production', says: 'site' },
    { run: 'diff snapshots production#1 production#2 --show-unchanged', says: ['site', 'backend'] },
    { run: 'diff snapshots production staging -o json', json: { snappish1: {}, snappish2: {} } },
    { run: 'diff snapshots production@{now} production@{now} -o json', json: { changed: {} } },
    { run: 'diff snapshots production#9 production', fails: 'Indexes are 1-based' },
    { run: 'diff snapshots nowhere production', fails: "Environment named 'nowhere' does not exist" },
    { run: 'log environment production', says: ['backend', 'site', 'started'] },
    { run: 'log environment production -o json', json: events => events.length === 2 },
    {
      run: 'log environment production --page-limit 1 --page 2 -o json',
      json: events => events.length === 1,
    },
    {
      run: 'log environment production --reverse -o json',
      json: [{ snapshot_index: 1 }, { snapshot_index: 2 }],
    },
    { run: 'log environment production --interval 2..2 -o json', json: [{ snapshot_index: 2 }] },
    { run: 'log environment production --start 1 --end 1 -o json', json: [{ snapshot_index: 1 }] },
    { run: 'log environment production --start-ts 1 --end-ts 2', says: /^No .* were found/m },
    { run: 'log environment production --repo acme/backend', says: 'backend' },
    { run: 'log environment nowhere', fails: "Environment named 'nowhere' does not exist" },
    {
      run: 'get artifact backend-ci@<backend> -o json',
      json: { running: [{ environment_name: 'production' }] },
    },
    { run: 'search <backend> -o json', json: { artifacts: all => all[0].running_in.includes('production') } },
    {
      run: 'snapshot path of-K8S --name backend --path backend.tgz',
      fails: "Environment 'of-K8S' is of type 'K8S' and takes reports of that type only",
    },
    {
      run: 'snapshot path everything --name backend --path backend.tgz',
      fails: "Environment 'everything' is logical",
    },
    {
      run: 'snapshot path made-by-report --name backend --path backend.tgz',
      fails: "Environment named 'made-by-report' does not exist for organization 'demo-org'",
    },
    {
      run: 'snapshot path made-by-report --name backend --path backend.tgz --auto-environment --environment-description new',
      says: '[1] artifacts were reported to environment made-by-report',
    },
    { run: 'snapshot server made-by-report --paths stranger.bin', says: 'artifacts were reported' },
    { run: 'get environment made-by-report -o json', json: { type: 'server', description: 'new' } },
  ],
}
