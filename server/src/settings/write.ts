// Writes the table of settings for people: docs/operate/settings.md, and the end of `serve --help`.
import type { Setting } from './setting.ts'
import { SETTING_GROUPS } from './table.ts'

const INTRODUCTION = `# Settings

<!-- \`npm run docs\` writes this page from server/src/settings/. -->

Environment variables, all optional. An empty value counts as unset. The service does not start if a name that begins with
\`WAYBILL_\` is unknown, or if a value is bad: it prints one line that names the setting. \`waybill admin doctor\` tries the
settings.

A setting marked *secret* can be [read from a file](install.md#secrets-in-files) instead: append \`_FILE\` to its name and set that
to the path, such as \`WAYBILL_SECRET_KEY_FILE=/run/secrets/waybill-key\`. One line break at the end of the file is dropped.
Setting both is an error, as is a file that is empty or cannot be read.
`

export function writeSettingsPage(): string {
  const groups = Object.entries(SETTING_GROUPS).map(([title, settings]) => {
    const rows = Object.entries(settings).map(([name, setting]) => writeRow(name, setting))
    return `## ${title}\n\n| Setting | Default | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return [INTRODUCTION, ...groups].join('\n')
}

function writeRow(name: string, setting: Setting<unknown>): string {
  const { meaning, example, is_secret } = setting
  const mark = is_secret ? ' *secret*' : ''
  return `| \`${name}\`${mark} | ${writeDefault(setting)} | ${meaning}. Example: \`${example}\` |`
}

function writeDefault(setting: Setting<unknown>): string {
  return 'value' in setting.default ? `\`${setting.default.value}\`` : setting.default.words
}

export function writeSettingsHelp(): string {
  const groups = Object.entries(SETTING_GROUPS).map(([title, settings]) => {
    const entries = Object.entries(settings).map(
      ([name, setting]) =>
        `  ${name} (default: ${removeMarkdown(writeDefault(setting))})\n    ${removeMarkdown(setting.meaning)}\n`,
    )
    return `${title}:\n${entries.join('')}`
  })
  return `\nSettings (environment variables; see docs/operate/settings.md):\n\n${groups.join('\n')}`
}

function removeMarkdown(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}
