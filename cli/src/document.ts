// Writes docs/cli.md from the commands: `npm run docs`.
import type { Command } from './program/command.ts'
import { EXIT_CODES, EXIT_SUMMARIES, type Exit } from './program/exit-codes.ts'
import type { Flags } from './program/flags.ts'
import { GLOBAL_FLAGS } from './program/globals.ts'
import { listFlags } from './program/help.ts'
import { formatArgument } from './program/parse.ts'

const SOURCES = [
  'The value of a flag is the first of these:',
  '',
  ...[
    'the flag on the command line',
    'the variable `WAYBILL_*` (`--flow` is `WAYBILL_FLOW`)',
    'the variable `KOSLI_*` of another client, with one warning',
    '`waybill.yml` in the working directory, only for flags that say nothing about who and where',
    'the CI job',
    '`~/.config/waybill/config.yml`, or the file that `--config-file` names',
  ].map((source, index) => `${index + 1}. ${source}`),
  '',
  'An empty value of a flag or in a file is an error.',
  'An empty variable counts as not set.',
  '',
  '`waybill.yml` is refused if it names a host, an organization, a key or a proxy: whoever can change a checkout could',
  'otherwise send the key of a pipeline to a host of their own.',
  '',
  '`waybill config show --origin` shows each value and where it comes from.',
]

const RULES = [
  'Only 4 means no. A snapshot whose last verdict was no stays a no when it is old; a yes that is old is unknown.',
  'So is a verdict without a policy, or before the first report. `--unknown pass` makes it 0, `--unknown fail` makes it 4.',
  '',
  'A trail that lacks evidence is not compliant: `assert trail` exits with 4 and names what is missing.',
  '',
  '`wait` exits with 0 as soon as the answer is yes. Evidence that is missing is waited for; evidence that was reported and says',
  'no ends the wait with 4 at once, unless `--keep-waiting` is given: it may be reported again, replaced or overridden.',
  'At the end of the time it exits as `assert` does: 4 if evidence is still missing, 8 if the answer is unknown. What was never',
  'reported is unknown too.',
  'A service that is away is asked again; if it is still away at the end, the exit code is 3.',
  '',
  '`diff` and `apply --plan` are questions and exit with 0. With `--exit-code` they exit with 4 if there is a difference.',
  '',
  '`verify receipts` exits like `verify`: 0 if all is shown, 1 if something is false, 2 if it cannot be judged.',
  '',
  '`waybill doctor` exits with the code of the worst problem that it finds.',
  '',
  'Deleting asks first: on a terminal, or through a pipe that holds `y` or `n`.',
  'After `n` nothing is deleted and the exit code is 0. Without an answer and without `--assume-yes` it is 2.',
]

const FORMS = [
  'The answer is on standard output and everything else on standard error. Its form is a table for people, or with `--output`:',
  '',
  '- `json`: the answer of the API',
  '- `yaml`: the same',
  '- `csv`: a line for each item of a list, or one line, with the fields of the API as columns. Lists and objects in a field are',
  '  JSON. A text that begins with `=`, `+`, `-`, `@`, a tab or a line break gets a leading apostrophe, so that no spreadsheet runs',
  '  it as a formula.',
  '- `markdown`: for the page of a pipeline, where a command has it',
]

export function writeDocument(commands: readonly Command[]): string {
  const visible = commands
    .filter(({ is_hidden }) => !is_hidden)
    .toSorted((one, other) => (one.words.join(' ') < other.words.join(' ') ? -1 : 1))
  return `${[
    '# The command line',
    '',
    'Written by `npm run docs` from the commands; do not edit.',
    '',
    '## Where values come from',
    '',
    ...SOURCES,
    '',
    '## Exit codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...(Object.keys(EXIT_CODES) as Exit[]).map(exit => `| ${EXIT_CODES[exit]} | ${EXIT_SUMMARIES[exit]} |`),
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
    '',
    'Below, each command is followed by examples. The tests parse them with the flags of the command; they do not run them.',
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

/** Braces and brackets would be markup, and a bar would begin a new cell. */
const escapeMarkup = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
