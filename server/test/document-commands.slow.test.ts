// Every command in the documents is either run by the suite or marked as not run. Runs the commands of pages that
// need only a service; other tests run the rest.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { readCodeBlocks, readCommands, readPage, runCommands } from './page-commands.ts'
import { makeDataDirectory, makeScratchFolder, type Service, startService } from './service.ts'

/** The test that runs the `sh` blocks of a page. */
const RUN_BY: Record<string, string> = {
  'README.md': 'server/test/readme.ts',
  'docs/first-hour.md': 'server/test/first-hour.slow.test.ts',
  'docs/ci.md': 'cli/test/pipelines.slow.test.ts',
  'docs/apply.md': 'server/test/document-commands.slow.test.ts',
  'docs/operate/people.md': 'server/test/document-commands.slow.test.ts',
  'docs/operate/back-up.md': 'server/test/document-commands.slow.test.ts',
  'docs/operate/upgrade.md': 'server/test/document-commands.slow.test.ts',
}
/** Generated from the lines that its test runs. */
const FROM_THE_SAME_LINES = 'docs/ci.md'
const NOT_RUN = /^# Not run by the tests: \w.*$/
/** The command line's page marks all its examples at once. */
const EXAMPLES_NOT_RUN = 'The tests parse them with the flags of the command; they do not run them.'
const COMMAND = /^(waybill|npm|npx|node|curl|docker|helm|kubectl|psql) /m
const OTHER_SHELLS = ['bash', 'shell', 'zsh', 'sh-session', 'shell-session', 'terminal']

const PAGES = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.md') && !path.startsWith('adr/'))
    .map(path => `docs/${path}`),
]

describe.each(PAGES)('%s', page => {
  const blocks = readCodeBlocks(readPage(page))

  it('marks every command that the tests do not run', () => {
    const silent = blocks.filter(
      ({ language, text }) => language === 'console' && !NOT_RUN.test(text.split('\n', 1)[0] ?? ''),
    )
    expect(silent.map(({ line }) => `${page}:${line}: begin it with "# Not run by the tests: why"`)).toEqual(
      [],
    )
    const other = blocks.filter(({ language }) => OTHER_SHELLS.includes(language))
    expect(
      other.map(({ line, language }) => `${page}:${line}: write sh or console, not ${language}`),
    ).toEqual([])
  })

  it('has no commands in blocks that are neither run nor marked', () => {
    const plain = blocks.filter(({ language, text }) => language === 'text' && COMMAND.test(text))
    if (!readPage(page).includes(EXAMPLES_NOT_RUN))
      expect(plain.map(({ line }) => `${page}:${line}: write sh or console, not text`)).toEqual([])
  })

  it('has a test that runs its other commands', () => {
    const run = blocks.filter(({ language }) => language === 'sh')
    const test = RUN_BY[page]
    if (test === undefined) expect(run.map(({ line }) => `${page}:${line}: no test runs this`)).toEqual([])
    else {
      expect(run).not.toEqual([])
      expect(existsSync(join(root, test))).toBe(true)
      if (page !== FROM_THE_SAME_LINES)
        expect(readFileSync(join(root, test), 'utf8')).toContain(`readCommands('${page}')`)
    }
  })
})

describe('the commands of', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ data_dir: makeDataDirectory() })
  })

  it('docs/apply.md export an organization and find nothing to change', async () => {
    const env = { WAYBILL_HOST: service.url, WAYBILL_ORG: 'demo-org', WAYBILL_API_TOKEN: service.key ?? '' }
    const flow = 'waybill create flow payments-ci --use-empty-template\n'
    const { code, stdout, stderr } = await runCommands(flow + readCommands('docs/apply.md').join('\n'), {
      env,
    })
    expect(code, stdout + stderr).toBe(0)
    expect(stdout.match(/Nothing to change/g)).toHaveLength(2)
  })

  it('docs/operate make and revoke keys, back up, restore, migrate and check', async () => {
    const folder = makeScratchFolder()
    const restored = makeDataDirectory()
    const script = [
      ...readCommands('docs/operate/people.md'),
      ...readCommands('docs/operate/back-up.md'),
      ...readCommands('docs/operate/upgrade.md'),
    ]
      .join('\n')
      .replaceAll('/backups/', `${folder}/`)
      .replace('/srv/waybill-new', restored)
      // The id of a key that earlier commands created.
      .replace('wb_user_0aB1cD2eF3gH', '"$(grep -om1 "wb_user_[0-9A-Za-z]\\{12\\}" "$PRINTED")"')
    const record = 'waybill() { command waybill "$@" | tee -a "$PRINTED"; }\n'
    const env = {
      ...{ WAYBILL_DATA_DIR: service.data_dir, WAYBILL_DNS_SERVER: '127.0.0.1:9' },
      ...{ OLD_SECRET: 'o'.repeat(20), PRINTED: join(folder, 'printed') },
    }
    const { code, stdout, stderr } = await runCommands(record + script, { env })
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain('imported a key for bob')
    expect(stdout).not.toContain('BROKEN')
    expect(stdout.match(/^ok +every migration is applied$/gm)).toHaveLength(2)
  })
})

describe('a block', () => {
  it('has its language and its text without the indentation', () => {
    const page = 'Text\n\n   ```sh\n   one\n     two\n   ```\n\n```console\nthree\n```\n'
    expect(readCodeBlocks(page)).toEqual([
      { line: 3, language: 'sh', text: 'one\n  two\n' },
      { line: 8, language: 'console', text: 'three\n' },
    ])
  })
})
