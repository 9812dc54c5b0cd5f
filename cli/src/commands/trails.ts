// Trails: runs of a flow, such as builds.
import { dropMissing } from '../lib/drop-missing.ts'
import { defineCommand, optionalArgument } from '../program/command.ts'
import { text } from '../program/flags.ts'
import { requireTrail } from './attest/attest.ts'
import {
  COMMIT_FLAGS,
  flow,
  LINK_FLAGS,
  REPOSITORY_FLAGS,
  readBytes,
  readJsonFile,
  readProvenance,
} from './flags.ts'
import { recordWrite } from './record.ts'

export const beginTrail = defineCommand({
  words: ['begin', 'trail'],
  summary: 'begin a trail, or change one',
  args: [optionalArgument('name', 'the name of the trail; in CI, the commit by default')],
  flags: {
    flow,
    description: text('what it is about', { placeholder: '<text>' }),
    'template-file': text('a YAML file with a template for this trail alone', {
      short: 'f',
      placeholder: '<file>',
    }),
    'user-data': text('a JSON file that is kept with it', { short: 'u', placeholder: '<file>' }),
    'origin-url': text('the page that it comes from', { placeholder: '<url>', from_ci: 'build_url' }),
    ...COMMIT_FLAGS,
    ...REPOSITORY_FLAGS,
    ...LINK_FLAGS,
  },
  needs: 'org',
  operations: ['beginTrail'],
  is_recorded: true,
  examples: ['begin trail v1.2 --flow backend-ci', 'begin trail --flow backend-ci --commit HEAD'],
  run: async ({ args, flags, context }) => {
    const { cwd } = context.system
    const name = args.name ?? requireTrail(undefined, flags.commit)
    const file = flags['template-file']
    return recordWrite(
      {
        method: 'PUT',
        template: '/trails/{org}/{flow_name}',
        params: { flow_name: flags.flow },
        stream: `trail/${flags.flow}/${name}`,
        json: dropMissing({
          name,
          description: flags.description,
          user_data: readJsonFile(flags['user-data'], 'user-data', cwd),
          ...(await readProvenance(flags, context)),
          origin_url: flags['origin-url'],
        }),
        json_part: 'data_json',
        files:
          file === undefined
            ? []
            : [
                {
                  name: 'template_file',
                  filename: 'template.yml',
                  content_type: 'application/yaml',
                  content: { bytes: readBytes(file, 'template-file', cwd) },
                },
              ],
        describe: ({ status }) =>
          `Trail ${name} of flow ${flags.flow} was ${status === 201 ? 'begun' : 'updated'}`,
      },
      context,
    )
  },
})
