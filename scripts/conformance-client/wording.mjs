// What our own client says and exits with where the existing client says something else. Both tell the same story; the
// sentences of the service are the same for both.

/** In order; the first that matches counts. Texts that match nothing are expected as they are. */
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
  [
    /^(flow|policy) '(.*)' was (created|updated)$/,
    (_, noun, name, done) => `${capitalize(noun)} ${name} was ${done}`,
  ],
  [/^(flow|environment) (\S+) was (.*)$/, (_, noun, name, done) => `${capitalize(noun)} ${name} was ${done}`],
  [/^attestation-type (\S+) was created$/, 'Attestation type $1 was created'],
  ["environment 'production' was joined to 'everything'", 'production is a member of everything'],
  [/^Showing page (\d+) of (\d+), total (\d+) \w+$/, 'Page $1 of $2, $3 in all'],
  [/^page (\d+) of$/, 'Page $1 of'],
  [/^total (\d+) items$/, '$1 in all'],
  [
    "policy 'known' is attached to environments: [production staging]",
    'known is attached to environment staging',
  ],
  ['was allow listed', 'is allowed in'],
  ['Artifact is not compliant', 'is NON-COMPLIANT'],
  ['policy is not a valid resource type', '"policy" cannot have tags'],
  ['was cancelled', 'Cancelled'],
  [/^Input payload validation failed: map\[(\w+):(.*)\]$/, '$1: $2'],
  [/^([\w.]+):(\S.*)$/, '$1: $2'],
]

/** By the sentence that a step fails with. Anything else is invalid input: 2. */
const EXITS = [
  [/key is not valid|Access denied|permission/, 5],
  [/NON-COMPLIANT|not compliant|missing required decision|is non-compliant in trail/, 4],
  [/already exists|cannot become|takes reports of that type/, 7],
  [/does not exist|not found|has been archived|No matches|Indexes are 1-based|resolves to/, 6],
  [/unresponsive/, 3],
]

/** Steps for which the sentence does not tell, with the reason. */
const EXIT_OF_STEP = new Map([])

export function translate(step) {
  const fails = toList(step.fails)
  return {
    ...step,
    ...(step.says === undefined ? {} : { says: toList(step.says).map(reword) }),
    ...(step.silent === undefined ? {} : { silent: toList(step.silent).map(reword) }),
    ...(fails.length === 0 ? {} : { fails: fails.map(reword), exit: chooseExit(step.run, fails) }),
    ...(step.env === undefined ? {} : { env: renameVariables(step.env) }),
  }
}

function chooseExit(run, fails) {
  const known = EXIT_OF_STEP.get(run)
  if (known !== undefined) return known
  return EXITS.find(([pattern]) => fails.some(text => pattern.test(String(text))))?.[1] ?? 2
}

function reword(text) {
  if (typeof text !== 'string') return text
  const found = WORDING.find(([theirs]) => (typeof theirs === 'string' ? theirs === text : theirs.test(text)))
  return found === undefined ? text : text.replace(...found)
}

const renameVariables = env =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name.replace(/^KOSLI_/, 'WAYBILL_'), value]))
const toList = one => (one === undefined ? [] : Array.isArray(one) ? one : [one])
const capitalize = word => word.charAt(0).toUpperCase() + word.slice(1)
