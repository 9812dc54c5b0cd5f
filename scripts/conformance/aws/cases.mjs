// The expected AWS reports for the data in serve_moto.py.

const ECS = { environment: 'tasks', type: 'ECS' }
const LAMBDA = { environment: 'functions', type: 'lambda' }
const S3 = { environment: 'site', type: 'S3' }

const WEB = 'registry.example.com/web:1 24a4c4b2 2'
const SIDE = `registry.example.com/side@sha256:${'b'.repeat(64)} bbbbbbbb 2`
const UNKNOWN = 'registry.example.com/local/tool:1  1'
const FUNCTIONS = ['checkout 30d35a23 1', 'image 0c6ef07b 1', 'refund 645d14e6 1']

/** `running`: name, first digits of the fingerprint, and count. */
export const AWS_CASES = [
  { ...ECS, line: 'snapshot ecs tasks', running: [UNKNOWN, SIDE, WEB] },
  { ...ECS, line: 'snapshot ecs tasks --clusters batch', running: [UNKNOWN] },
  { ...ECS, line: 'snapshot ecs tasks --exclude-regex ^ba', running: [SIDE, WEB] },
  { ...ECS, line: 'snapshot ecs tasks --services web', running: [SIDE, WEB] },
  {
    ...ECS,
    line: 'snapshot ecs tasks --clusters main,nowhere',
    says: 'Not seen: cluster nowhere',
    running: [SIDE, WEB],
    is_partial: true,
  },
  { ...ECS, line: 'snapshot ecs tasks --clusters nowhere', exit: 6 },
  { ...LAMBDA, line: 'snapshot lambda functions', running: FUNCTIONS },
  {
    ...LAMBDA,
    line: 'snapshot lambda functions --all-versions --function-names refund',
    // Both versions have the same code, so they are one artifact that runs twice.
    running: ['refund 645d14e6 2'],
  },
  { ...LAMBDA, line: 'snapshot lambda functions --exclude-regex ^c', running: FUNCTIONS.slice(1) },
  { ...S3, line: 'snapshot s3 site --bucket site', running: ['site acb52ab3 1'] },
  { ...S3, line: 'snapshot s3 site --bucket single', running: ['c.txt 2d711642 1'] },
  { ...S3, line: 'snapshot s3 site --bucket ignoring', running: ['ignoring c6a2f4dd 1'] },
  { ...S3, line: 'snapshot s3 site --bucket nothing', running: [] },
  { ...S3, line: 'snapshot s3 site --bucket site --include nothing', exit: 2 },
  { ...S3, line: 'snapshot s3 site --bucket elsewhere', exit: 6 },
]

/** Reported by both clients and compared. */
export const COMPARED_BUCKETS = [
  { bucket: 'site', flags: [] },
  { bucket: 'site', flags: ['--exclude', 'log'] },
  { bucket: 'site', flags: ['--include', 'css'] },
  { bucket: 'site', flags: ['--exclude-regex', '\\.css$,^log/'] },
  { bucket: 'single', flags: [] },
  { bucket: 'ignoring', flags: [] },
]
