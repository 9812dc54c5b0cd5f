// Writes docs/cli.md from the commands: `npm run docs:cli`.
import type { Command } from './program/command.ts'
import { EXIT_CODES, EXIT_SUMMARIES, type Exit } from './program/exit-codes.ts'
import type { Flags } from './program/flags.ts'
import { GLOBAL_FLAGS } from './program/globals.ts'
import { listFlags } from './program/help.ts'
import { formatArgument } from './program/parse.ts'

const FRESH = '<!-- test: cli/test/commands.test.ts › docs/cli.md › is fresh: run `npm run docs:cli` -->'

const SOURCES = [
  'The value of a flag is the first of these:',
  '<!-- no test: introduction -->',
  '',
  ...[
    ['the flag on the command line', 'the flag'],
    ['the variable `WAYBILL_*` (`--flow` is `WAYBILL_FLOW`)', 'our variable'],
    ['the variable `KOSLI_*` of another client, with one warning', 'the variable of another client'],
    [
      '`waybill.yml` in the working directory, only for flags that say nothing about who and where',
      'the file of the repository',
    ],
    ['the CI job', 'the CI job'],
    ['`~/.config/waybill/config.yml`, or the file that `--config-file` names', 'the file of the user'],
  ].map(
    ([source, title], index) =>
      `${index + 1}. ${source}\n   <!-- test: cli/src/values/resolve.test.ts › a value › comes from ${title} if nothing before it has one -->`,
  ),
  '',
  'An empty value of a flag or in a file is an error.',
  '<!-- test: cli/src/values/resolve.test.ts › an empty value › of a flag is refused -->',
  'An empty variable counts as not set.',
  '<!-- test: cli/src/values/resolve.test.ts › a value › of an empty variable counts as not set -->',
  '',
  '`waybill.yml` is refused if it names a host, an organization, a key or a proxy: whoever can change a checkout could',
  'otherwise send the key of a pipeline to a host of their own.',
  '<!-- test: cli/src/values/files.test.ts › waybill.yml › may not hold host -->',
  '',
  '`waybill config show --origin` shows each value and where it comes from.',
  '<!-- test: cli/test/program.test.ts › config show › names the origin of each value, and hides keys -->',
]

const RULES = [
  'Only 4 means no. A snapshot whose last verdict was no stays a no when it is old; a yes that is old is unknown.',
  '<!-- test: cli/test/gates.test.ts › assert snapshot › is no, also when it is stale -->',
  'So is a verdict without a policy, or before the first report. `--unknown pass` makes it 0, `--unknown fail` makes it 4.',
  '<!-- test: cli/test/gates.test.ts › an unknown verdict › is for the caller to decide: pass is 0 -->',
  '',
  'A trail that lacks evidence is not compliant: `assert trail` exits with 4 and names what is missing.',
  '<!-- test: cli/test/gates.test.ts › assert trail › is no while evidence is missing, and names it -->',
  '',
  '`wait` exits with 0 as soon as the answer is yes. Evidence that is missing is waited for; evidence that was reported and says',
  'no ends the wait with 4 at once, unless `--keep-waiting` is given: it may be reported again, replaced or overridden.',
  '<!-- test: cli/test/wait.test.ts › wait trail › says what is missing, and ends as soon as evidence says no -->',
  '<!-- test: cli/test/wait.test.ts › wait trail › keeps waiting for a better answer if it is asked to -->',
  'At the end of the time it exits as `assert` does: 4 if evidence is still missing, 8 if the answer is unknown. What was never',
  'reported is unknown too.',
  '<!-- test: cli/test/wait.test.ts › wait trail › is no at the end of the time if evidence is still missing -->',
  '<!-- test: cli/test/wait.test.ts › wait trail › is unknown at the end of the time if nothing was reported -->',
  'A service that is away is asked again; if it is still away at the end, the exit code is 3.',
  '<!-- test: cli/test/wait.test.ts › a service that is away › is asked again until it is back -->',
  '<!-- test: cli/test/wait.test.ts › a service that is away › is exit code 3 at the end of the time -->',
  '',
  '`diff` and `apply --plan` are questions and exit with 0. With `--exit-code` they exit with 4 if there is a difference.',
  '<!-- test: cli/test/nouns.test.ts › diff › pairs versions, and is a question rather than a gate unless it is asked to be one -->',
  '<!-- test: cli/test/apply.test.ts › apply › plans everything, and changes nothing -->',
  '',
  '`waybill doctor` exits with the code of the worst problem that it finds.',
  '<!-- test: cli/test/program.test.ts › doctor › has the exit code of the worst problem: no service -->',
  '',
  'Deleting asks first: on a terminal, or through a pipe that holds `y` or `n`.',
  '<!-- test: cli/test/program.test.ts › deleting › takes its answer from a pipe: "yes" -->',
  'After `n` nothing is deleted and the exit code is 0. Without an answer and without `--assume-yes` it is 2.',
  '<!-- test: cli/test/program.test.ts › deleting › is refused without an answer -->',
]

const FORMS = [
  'The answer is on standard output and everything else on standard error. Its form is a table for people, or with `--output`:',
  '<!-- no test: introduction -->',
  '',
  '- `json`: the answer of the API',
  '  <!-- test: cli/test/forms.test.ts › --output › json is the answer of the API -->',
  '- `yaml`: the same',
  '  <!-- test: cli/test/forms.test.ts › --output › yaml is the same -->',
  '- `csv`: a line for each item of a list, or one line, with the fields of the API as columns. Lists and objects in a field are',
  '  JSON. A text that begins with `=`, `+`, `-`, `@`, a tab or a line break gets a leading apostrophe, so that no spreadsheet runs',
  '  it as a formula.',
  '  <!-- test: cli/test/forms.test.ts › --output › csv has a line for each item, without formulas -->',
  '- `markdown`: for the page of a pipeline, where a command has it',
  '  <!-- test: cli/test/forms.test.ts › --output › markdown is for some commands only -->',
]

export function writeDocument(commands: readonly Command[]): string {
  const visible = commands
    .filter(({ is_hidden }) => !is_hidden)
    .toSorted((one, other) => (one.words.join(' ') < other.words.join(' ') ? -1 : 1))
  return `${[
    '# The command line',
    '',
    'Written by `npm run docs:cli` from the commands; do not edit.',
    FRESH,
    '',
    '## Where values come from',
    '',
    ...SOURCES,
    '',
    '## Exit codes',
    '',
    '| code | meaning | test |',
    '|---|---|---|',
    ...(Object.keys(EXIT_CODES) as Exit[]).map(
      exit =>
        `| ${EXIT_CODES[exit]} | ${EXIT_SUMMARIES[exit]} | cli/test/exit-codes.test.ts › exit code ${EXIT_CODES[exit]} › means: ${EXIT_SUMMARIES[exit]} |`,
    ),
    '',
    ...RULES,
    '',
    '## Forms of the answer',
    '',
    ...FORMS,
    '',
    '## Flags of every command',
    '',
    ...writeFlags(GLOBAL_FLAGS),
    '',
    '## Commands',
    '',
    '| command | does |',
    '|---|---|',
    ...visible.map(
      command =>
        `| [\`${command.words.join(' ')}\`](#${getAnchor(command)}) | ${escapeMarkup(command.summary)} |`,
    ),
    FRESH,
    '',
    'Below, each command is followed by examples. The tests parse them with the flags of the command; they do not run them.',
    '<!-- test: cli/test/commands.test.ts › the commands › apply has examples that are right -->',
    '',
    ...visible.flatMap(writeCommand),
  ].join('\n')}\n`
}

function writeCommand(command: Command): string[] {
  const { words, args, summary, details, flags, examples } = command
  return [
    `### ${words.join(' ')}`,
    '',
    `${escapeMarkup(summary)}.${details === undefined ? '' : ` ${escapeMarkup(details)}`}`,
    '',
    '```text',
    ['waybill', ...words, ...args.map(formatArgument), '[flags]'].join(' '),
    ...examples.map(example => `waybill ${example}`),
    '```',
    ...args
      .map(({ name, summary: what }) => `- \`<${name}>\`: ${escapeMarkup(what)}`)
      .flatMap((line, index) => (index === 0 ? ['', line] : [line])),
    ...(listFlags(flags).length === 0 ? [] : ['', ...writeFlags(flags)]),
    '',
  ]
}

function writeFlags(flags: Flags): string[] {
  return [
    '| flag | meaning |',
    '|---|---|',
    ...listFlags(flags).map(({ name, summary }) => `| \`${name.trim()}\` | ${escapeMarkup(summary)} |`),
  ]
}

const getAnchor = ({ words }: Command): string => words.join('-')

/** Braces and brackets would be markup, and a bar a new cell. */
const escapeMarkup = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
