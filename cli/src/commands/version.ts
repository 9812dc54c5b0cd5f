// The version of this program.
import { defineCommand } from '../program/command.ts'
import { toggle } from '../program/flags.ts'

export const showVersion = defineCommand({
  words: ['version'],
  also: [['ver']],
  summary: 'show the version of this program',
  args: [],
  flags: { short: toggle('only the number', false, { short: 's' }) },
  needs: 'nothing',
  operations: [],
  examples: ['version --output json'],
  run: async ({ flags, context: { system, output } }) => {
    const { version } = system
    const json = { version, node: process.versions.node, platform: `${process.platform}-${process.arch}` }
    const text = flags.short ? version : `waybill ${version} (Node ${json.node}, ${json.platform})`
    await output.show({ json, text, names: [version] })
    return undefined
  },
})
