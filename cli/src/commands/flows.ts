// Flows: what a build must show, and the trails that show it.
import { dropMissing } from '../lib/drop-missing.ts'
import { formatRows } from '../print/output.ts'
import { formatFields } from '../print/table.ts'
import { argument, defineCommand } from '../program/command.ts'
import { list, text, textOr, toggle } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'
import { PAGE_FLAGS, readBytes } from './flags.ts'
import { describePage, type Paged, toItems } from './pages.ts'
import { change, readAndShow } from './read.ts'
import { recordWrite } from './record.ts'

interface Flow {
  name: string
  description: string
  visibility: string
  template?: string
  tags?: Record<string, string>
  created_by?: string
}

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
            [
              'Tags',
              Object.entries(found.tags ?? {})
                .map(pair => pair.join('='))
                .join(', '),
            ],
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
      name: text('only names with this text', { placeholder: '<text>' }),
      'ignore-case': toggle('upper and lower case count as the same', false, { short: 'i' }),
    },
    needs: 'org',
    operations: ['listFlows'],
    examples: ['list flows --name backend'],
    run: ({ flags, context }) =>
      readAndShow<Paged<Flow>>(
        context,
        {
          template: '/flows/{org}',
          query: {
            page: flags.page,
            per_page: flags['page-limit'],
            name: flags.name,
            ignore_case: flags['ignore-case'] || undefined,
          },
        },
        found => ({
          names: toItems(found).map(({ name }) => name),
          text: describePage(
            found,
            formatRows(
              ['NAME', 'DESCRIPTION', 'VISIBILITY'],
              toItems(found).map(({ name, description, visibility }) => [name, description, visibility]),
              'No flows were found.',
            ),
          ),
        }),
      ),
  }),
  defineCommand({
    words: ['rename', 'flow'],
    summary: 'rename a flow; the old name keeps working until another flow takes it',
    args: [argument('name', 'the present name'), argument('new-name', 'the new name')],
    flags: {},
    needs: 'org',
    operations: ['renameFlow'],
    examples: ['rename flow backend backend-ci'],
    run: ({ args, context }) =>
      change(context, {
        method: 'PUT',
        template: '/flows/{org}/{flow_name}/rename',
        params: { flow_name: args.name ?? '' },
        json: { new_name: args['new-name'] },
        text: () => `Flow ${args.name} was renamed to ${args['new-name']}`,
      }),
  }),
  defineCommand({
    words: ['archive', 'flow'],
    summary: 'archive a flow: it takes no new trails',
    args: [argument('name', 'the name of the flow')],
    flags: {},
    needs: 'org',
    operations: ['archiveFlow'],
    examples: ['archive flow old-ci'],
    run: ({ args, context }) =>
      change(context, {
        method: 'PUT',
        template: '/flows/{org}/{flow_name}/archive',
        params: { flow_name: args.name ?? '' },
        text: () => `Flow ${args.name} was archived`,
      }),
  }),
]
