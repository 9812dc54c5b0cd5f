// How our own client's messages and exit codes differ from the existing client's. Both run the same story; the
// service's messages are the same for both.

/** In order; the first match counts. Texts that match nothing are expected as they are. */
const WORDING = [
  ['version.BuildInfo', 'waybill '],
  ['Kosli is Down', 'is down'],
  ['is unresponsive', 'is down'],
  ['(none set)', 'You have no default organization'],
  [/^default organization is set to: (\S+)$/, 'Your default organization is $1'],
  ['THIS IS A DRY-RUN', 'This is a dry run'],
  ['No environment policies were found.', 'No policies'],
  ['No environment snapshots were found', 'No snapshots of '],
  [/^No (.*?)(?: were)? found\.?$/, 'No $1'],
  ["environment 'production' was joined to 'everything'", 'production is a member of everything'],
  [
    /^(flow|policy) '(.*)' was (created|updated)$/,
    (_, noun, name, done) => `${capitalize(noun)} ${name} was ${done}`,
  ],
  [/^(flow|environment) (\S+) was (.*)$/, (_, noun, name, done) => `${capitalize(noun)} ${name} was ${done}`],
  [/^attestation-type (\S+) was created$/, 'Attestation type $1 was created'],
  [/^Showing page (\d+) of (\d+), total (\d+) \w+$/, 'Page $1 of $2, $3 in all'],
  [/^page (\d+) of$/, 'Page $1 of'],
  [/^total (\d+) items$/, '$1 in all'],
  [
    "policy 'known' is attached to environments: [production staging]",
    'known is attached to environment staging',
  ],
  ['was allow listed', 'is allowed in'],
  ['Artifact is not compliant', 'is NON-COMPLIANT'],
  ["artifact is missing required decision for control 'SDLC-1'", "has no decision for control 'SDLC-1'"],
  ["decision for control 'SDLC-1' is non-compliant in trail", "for control 'SDLC-1' in trail 'build-1'"],
  ['policy is not a valid resource type', '"policy" cannot have tags'],
  ['was cancelled', 'Cancelled'],
  [/^Input payload validation failed: map\[(\w+):(.*)\]$/, '$1: $2'],
  [/^data_json\.(attestation_data\.\w+):(.*)$/, '$1: $2'],
  [/^([\w.]+):([^/\s].*)$/, '$1: $2'],
  [/^trail '(.*)' was begun$/, 'Trail $1 of flow '],
  [/^trail '(.*)' was updated$/, 'Trail $1 of flow '],
  [/^(?:\w+ )?(?:attestation )?'(.*)' is reported to trail: (.*)$/, '$1 on trail $2'],
  [/^'(.*)'$/, '$1'],
  [/^\[(\d+)\] artifacts were reported to environment (.*)$/, 'Reported $1 artifacts to environment $2'],
  [/^\[(\d+)\] artifacts$/, 'Reported $1 artifacts'],
  ['artifacts were reported', 'artifacts to environment'],
  // A body without a file is JSON and not a form.
  ['The part is larger than 1048576 bytes', 'The request body is larger than allowed'],
]

/** Patterns, by their text. */
const PATTERNS = new Map([
  ['/^No .* were found/m', /^No /m],
  ['/requires at least one of: .*--commit/', 'Give --commit, --fingerprint or the artifact.'],
])

/** By the message of a failing step. Anything else is invalid input: 2. */
const NOT_ALLOWED = 5
const EXITS = [
  [/key is not valid|Access denied|permission/, NOT_ALLOWED],
  [/NON-COMPLIANT|not compliant|missing required decision|is non-compliant in trail/, 4],
  [
    /does not exist|Environment named 'nowhere'$|not found|has been archived|No matches|Indexes are 1-based|resolves to/,
    6,
  ],
  [/unresponsive/, 3],
]

/** Steps that end differently, with the reason. */
const STEPS = new Map([
  // The folder was attested as `dir`; without the flag it would be reported as `dir-v2`.
  [
    'snapshot paths production --paths-file paths.yml',
    { run: 'snapshot paths production --paths-file paths.yml --artifact-type dir' },
  ],
  // It still exists, in the archive: both the service and our client report that.
  ['create environment containers --type docker', { says: 'Environment containers was updated' }],
])

/** The same for steps that fail. */
const FAILING_STEPS = new Map([
  // Without a policy the verdict is unknown, which is not a no.
  ['assert snapshot production', { exit: 8, fails: 'UNKNOWN' }],
  ['assert snapshot production~1', { exit: 8, fails: 'UNKNOWN' }],
  ['assert artifact --fingerprint <unknown>', { exit: 6, fails: '<unknown>' }],
  ["create control SDLC-1 --name 'Again'", { exit: 7 }],
])

export function translate(step, index) {
  const { run, says, fails, exit } = { ...step, ...changeStep(step) }
  return {
    ...step,
    run,
    exit,
    ...(says === undefined ? {} : { says: toList(says).map(reword) }),
    ...(fails === undefined ? {} : { fails: toList(fails).map(reword) }),
    ...(step.silent === undefined ? {} : { silent: toList(step.silent).map(reword) }),
    env: {
      ...renameVariables(step.env ?? {}),
      // A write that a key may not make waits for another key; the next step must not send it.
      ...(exit === NOT_ALLOWED ? { WAYBILL_SPOOL_DIR: `spool-of-step-${index}` } : {}),
    },
  }
}

function changeStep({ run, fails }) {
  if (fails === undefined) return { exit: 0, ...STEPS.get(run) }
  const texts = toList(fails).map(String)
  const exit = EXITS.find(([pattern]) => texts.some(text => pattern.test(text)))?.[1] ?? 2
  return { exit, ...FAILING_STEPS.get(run) }
}

function reword(text) {
  if (typeof text !== 'string') return PATTERNS.get(String(text)) ?? text
  const found = WORDING.find(([theirs]) => (typeof theirs === 'string' ? theirs === text : theirs.test(text)))
  return found === undefined ? text : text.replace(...found)
}

const renameVariables = env =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name.replace(/^KOSLI_/, 'WAYBILL_'), value]))
const toList = one => (one === undefined ? [] : Array.isArray(one) ? one : [one])
const capitalize = word => word.charAt(0).toUpperCase() + word.slice(1)
