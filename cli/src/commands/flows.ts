// Flows: the evidence that builds must have, and the trails that collect it.

import type { Schemas } from '../api-types.ts'
import { dropMissing } from '../lib/drop-missing.ts'
import { formatFields, formatPairs } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, text, textOr, toggle } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { defineArchiving } from './archiving.ts'
import { PAGE_FLAGS, readBytes } from './flags.ts'
import { readAndList } from './list.ts'
import { readAndShow } from './read.ts'
import { recordWrite } from './record.ts'
import { defineRenaming } from './renaming.ts'

type Flow = Schemas['Flow']

const EMPTY_TEMPLATE = 'version: 1\n'

export const flowCommands = [
  defineCommand({
    words: ['create', 'flow'],
    summary: 'create a flow, or change its template and description',
    args: [argument('name', 'the name of the flow')],
    flags: {
      description: text('what it is for', { placeholder: '<text>' }),
      visibility: textOr('who may see it', 'private', { choices: ['private', 'public'] }),
      'template-file': text('a YAML file with the template', { short: 'f', placeholder: '<file>' }),
      'use-empty-template': toggle('a template that requires nothing'),
      template: list('names of required attestations of one artifact; the older form', {
        short: 't',
        is_hidden: true,
      }),
    },
    needs: 'org',
    operations: ['putFlowTemplateFile', 'putFlow'],
    is_recorded: true,
    examples: ['create flow backend-ci --template-file waybill-template.yml'],
    run: async ({ args, flags, context }) => {
      const name = args.name ?? ''
      const { description, visibility, template } = flags
      const file = flags['template-file']
      const forms = [file !== undefined, flags['use-empty-template'], template.length > 0].filter(
        Boolean,
      ).length
      if (forms !== 1)
        failUsage('A flow needs one template', 'Give either --template-file or --use-empty-template.')
      const describe = ({ status }: { status: number }) =>
        `Flow ${name} was ${status === 201 ? 'created' : 'updated'}`
      const base = { method: 'PUT', params: {}, stream: 'flows', describe } as const
      if (template.length > 0) {
        const json = { name, description: description ?? '', visibility, template: ['artifact', ...template] }
        return recordWrite({ ...base, template: '/flows/{org}', json }, context)
      }
      const bytes =
        file === undefined
          ? Buffer.from(EMPTY_TEMPLATE)
          : readBytes(file, 'template-file', context.system.cwd)
      return recordWrite(
        {
          ...base,
          template: '/flows/{org}/template_file',
          json: dropMissing({ name, description, visibility }),
          json_part: 'data_json',
          files: [
            {
              name: 'template_file',
              filename: 'template.yml',
              content_type: 'application/yaml',
              content: { bytes },
            },
          ],
        },
        context,
      )
    },
  }),
  defineCommand({
    words: ['get', 'flow'],
    summary: 'show a flow',
    args: [argument('name', 'the name of the flow')],
    flags: {},
    needs: 'org',
    operations: ['getFlow'],
    examples: ['get flow backend-ci'],
    run: ({ args, context }) =>
      readAndShow<Flow>(
        context,
        { template: '/flows/{org}/{flow_name}', params: { flow_name: args.name ?? '' } },
        found => ({
          names: [found.name],
          text: formatFields([
            ['Name', found.name],
            ['Description', found.description],
            ['Visibility', found.visibility],
            ['Tags', formatPairs(found.tags)],
            ['Template', found.template],
          ]),
        }),
      ),
  }),
  defineCommand({
    words: ['list', 'flows'],
    also: [['list', 'flow']],
    summary: 'list the flows of an organization',
    args: [],
    flags: {
      ...PAGE_FLAGS,
      name: text('only names with this text', { placeholder: '<text>', short: 'N' }),
      'ignore-case': toggle('upper and lower case count as the same', false, { short: 'i' }),
    },
    needs: 'org',
    operations: ['listFlows'],
    examples: ['list flows --name backend'],
    run: ({ flags, context }) =>
      readAndList<Flow>(
        context,
        {
          template: '/flows/{org}',
          query: {
            page: flags.page,
            per_page: flags['page-limit'],
            search_by_name: flags.name,
            case_sensitive: flags.name === undefined ? undefined : !flags['ignore-case'],
          },
        },
        {
          head: ['NAME', 'DESCRIPTION', 'VISIBILITY', 'TAGS'],
          toRow: ({ name, description, visibility, tags }) => [
            name,
            description,
            visibility,
            formatPairs(tags),
          ],
          toName: ({ name }) => name,
          nothing: 'No flows',
        },
      ),
  }),
  defineRenaming({
    noun: 'flow',
    title: 'a flow',
    template: '/flows/{org}/{flow_name}',
    param: 'flow_name',
    operation: 'renameFlow',
  }),
  ...defineArchiving({
    noun: 'flow',
    title: 'a flow',
    template: '/flows/{org}/{flow_name}',
    param: 'flow_name',
    method: 'PUT',
    operations: { archive: 'archiveFlow', unarchive: 'unarchiveFlow' },
    effect: 'it takes no new trails',
  }),
]
