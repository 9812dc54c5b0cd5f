// Custom attestation types: the schema of their data, and the rules that make it compliant.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatFields, formatTime } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, pairs, text } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { defineArchiving } from './archiving.ts'
import { readJsonFile } from './flags.ts'
import { readAndList } from './list.ts'
import { change, readAndShow } from './read.ts'

type Type = Schemas['CustomAttestationType']

/** The types from @waybill/evidence-files, which is loaded only when one is used. */
export const PRESETS = ['cobertura', 'ctrf', 'gitleaks', 'grype', 'sarif', 'trivy'] as const

const ALL = '/custom-attestation-types/{org}'
const ONE = `${ALL}/{name}`

export const attestationTypeCommands = [
  defineCommand({
    words: ['create', 'attestation-type'],
    summary: 'create a type of attestation, or a new version of it',
    details:
      'A preset has the schema, rules and values for what "waybill attest sarif" and the like record. With --jq, ' +
      '--summary or --description yours replace those of the preset.',
    args: [argument('name', 'the name of the type')],
    flags: {
      'from-preset': text('the type for the files of a tool', { choices: PRESETS }),
      description: text('what it is for', { short: 'd', placeholder: '<text>' }),
      schema: text('a file with the JSON Schema of its data', { short: 's', placeholder: '<file>' }),
      // For compatibility with other clients; this command has no answer for the usual --jq to filter.
      jq: list('a jq rule that must be true for compliant data', {
        keeps_commas: true,
        placeholder: '<rule>',
      }),
      summary: pairs('a value to show for each attestation', { placeholder: '<name=jq>' }),
      'summary-json': text('the same as JSON: a list of name and expression', { placeholder: '<json>' }),
    },
    needs: 'org',
    operations: ['createCustomAttestationType'],
    examples: [
      'create attestation-type sarif --from-preset sarif',
      "create attestation-type coverage --schema coverage.schema.json --jq '.lines >= 80' --summary Lines=.lines",
    ],
    run: async ({ args: { name = '' }, flags, context }) => {
      const preset = await readPreset(flags['from-preset'])
      if (preset !== undefined && flags.schema !== undefined)
        failUsage('--from-preset and --schema exclude each other')
      const rules = flags.jq.length === 0 ? preset?.rules : flags.jq
      return change(context, {
        method: 'POST',
        template: ALL,
        json: dropMissing({
          name,
          description: flags.description ?? preset?.description,
          evaluator: rules === undefined ? undefined : { content_type: 'jq', rules },
          summary: readSummary(flags.summary, flags['summary-json']) ?? preset?.summary,
          type_schema: preset?.schema ?? readJsonFile(flags.schema, 'schema', context.system.cwd),
        }),
        text: () => `Attestation type ${name} was created`,
        names: () => [name],
      })
    },
  }),
  defineCommand({
    words: ['get', 'attestation-type'],
    summary: 'show a type of attestation',
    args: [argument('name', 'the name, or name@v2 for one of its versions')],
    flags: {},
    needs: 'org',
    operations: ['getCustomAttestationType'],
    examples: ['get attestation-type coverage', 'get attestation-type coverage@v1'],
    run: ({ args: { name = '' }, context }) => {
      const [, base = name, version] = /^(.*)@v(\d+)$/.exec(name) ?? []
      return readAndShow<Type>(
        context,
        { template: ONE, params: { name: base }, query: { version } },
        found => ({ names: [found.name], text: describeType(found) }),
      )
    },
  }),
  defineCommand({
    words: ['list', 'attestation-types'],
    also: [['list', 'attestation-type']],
    summary: 'list the types of attestations of an organization',
    args: [],
    flags: {},
    needs: 'org',
    operations: ['listCustomAttestationTypes'],
    examples: ['list attestation-types'],
    run: ({ context }) =>
      readAndList<Type>(
        context,
        { template: ALL },
        {
          head: ['NAME', 'DESCRIPTION', 'VERSIONS', 'CHANGED'],
          toRow: found => [
            found.name,
            found.description,
            found.versions.length,
            formatTime(found.last_modified_at),
          ],
          toName: ({ name }) => name,
          nothing: 'No attestation types',
        },
      ),
  }),
  ...defineArchiving({
    noun: 'attestation-type',
    title: 'a type of attestation',
    template: ONE,
    param: 'name',
    method: 'PUT',
    operations: { archive: 'archiveCustomAttestationType', unarchive: 'unarchiveCustomAttestationType' },
    effect: 'it takes no new attestations',
  }),
]

async function readPreset(name: string | undefined) {
  if (name === undefined) return undefined
  const { findPreset } = await import('@waybill/evidence-files')
  return findPreset(name)
}

function readSummary(entries: Readonly<Record<string, string>>, json: string | undefined): unknown {
  const named = Object.entries(entries).map(([name, expression]) => ({ name, expression }))
  if (json === undefined) return named.length === 0 ? undefined : named
  if (named.length > 0) failUsage('--summary and --summary-json exclude each other')
  try {
    return JSON.parse(json)
  } catch (error) {
    failUsage(`--summary-json is not valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}

function describeType(found: Type): string {
  const versions = found.versions.toSorted((one, other) => other.version - one.version)
  return [
    formatFields([
      ['Name', found.name],
      ['Description', found.description],
    ]),
    ...versions.map(({ version, timestamp, created_by, evaluator, summary, type_schema }) =>
      formatFields([
        ['Version', version],
        ['Created', `${formatTime(timestamp)} by ${created_by}`],
        ['Rules', evaluator.rules?.join('\n')],
        ['Summary', summary?.map(({ name, expression }) => `${name}: ${expression}`).join('\n')],
        ['Schema', type_schema === null ? null : JSON.stringify(type_schema)],
      ]),
    ),
  ].join('\n\n')
}
