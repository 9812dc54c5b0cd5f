// Signing in: a person stores an API key, and a CI job exchanges its identity token for one.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangeToken } from '../ci/exchange-token.ts'
import { getTemporaryFolder } from '../ci/report.ts'
import { removeToken, storeToken } from '../credentials.ts'
import { makeApi } from '../http/api.ts'
import { formatTime } from '../print/table.ts'
import { defineCommand } from '../program/command.ts'
import type { Context } from '../program/context.ts'
import { toggle } from '../program/flags.ts'
import { failUsage } from '../program/problem.ts'

const KEY_FILE_VARIABLE = 'WAYBILL_API_TOKEN_FILE'
const LONGEST_KEY = 1024

export const loginCommands = [
  defineCommand({
    words: ['login'],
    summary: 'sign in: store an API key, or get one for the identity token of a CI job',
    details:
      'Without --ci, reads an API key from standard input or asks for it, checks it with the service, and stores it in a file ' +
      'that only you can read. With --ci, exchanges the identity token of the job for a key that is valid for 15 minutes, ' +
      `writes it to a file, and prints the path. The steps that follow get it as ${KEY_FILE_VARIABLE} in GitHub Actions, ` +
      `Azure Pipelines and CircleCI; elsewhere: export ${KEY_FILE_VARIABLE}=$(waybill login --ci)`,
    args: [],
    flags: { ci: toggle('exchange the identity token of the CI job') },
    needs: 'service',
    operations: ['exchangeToken', 'getDefaultOrg'],
    examples: ['login', 'login --ci'],
    run: ({ flags, context }) => (flags.ci ? loginJob(context) : loginPerson(context)),
  }),
  defineCommand({
    words: ['logout'],
    summary: 'forget the stored API key of the service',
    details: 'The key itself stays valid until it expires or is revoked.',
    args: [],
    flags: {},
    needs: 'service',
    operations: [],
    examples: ['logout'],
    run: async ({ context: { host, system, output } }) => {
      const isRemoved = removeToken(system.env, host)
      const text = isRemoved ? `Forgot the key for ${host}` : `There was no key for ${host}`
      await output.show({ json: { host, removed: isRemoved }, text })
    },
  }),
]

async function loginJob(context: Context): Promise<undefined> {
  const { ci, system, host, org, output, report } = context
  const { env } = system
  const { key, expires_at, rule } = await exchangeToken(context.key_request)
  const token_file = join(mkdtempSync(join(getTemporaryFolder(ci, env), 'waybill-')), 'api-key')
  writeFileSync(token_file, key, { mode: 0o600, flag: 'wx' })
  const isExported = report.exportVariable(KEY_FILE_VARIABLE, token_file)
  output.say(
    `The trust rule ${rule} gave this job a key for ${org}, valid until ${formatTime(expires_at)}.` +
      (isExported
        ? ` The steps that follow find it in ${KEY_FILE_VARIABLE}.`
        : ` Set ${KEY_FILE_VARIABLE} to the file.`),
  )
  await output.show({ json: { host, rule, expires_at, token_file }, text: token_file, names: [token_file] })
}

async function loginPerson({ host, system, exchange, output, timeout_ms }: Context): Promise<undefined> {
  const stdin = system.getStdin()
  const key = (stdin.isTTY === true ? await askForKey(stdin, system) : await readAll(stdin)).trim()
  if (key === '')
    failUsage('No key was given', 'Create one in the web app, under your profile, and paste it here.')
  if (key.length > LONGEST_KEY || /[^\x21-\x7e]/.test(key))
    failUsage('This is not an API key: it has spaces, line breaks or other characters that keys do not have')
  const api = makeApi({
    host,
    getToken: async () => key,
    exchange,
    user_agent: `waybill/${system.version}`,
    timeout_ms,
    max_retries: 3,
    now_ms: system.now_ms,
    debug: () => undefined,
  })
  await api.call({ method: 'GET', path: '/user/default-org' })
  const path = storeToken(system.env, host, key)
  await output.show({ json: { host, stored_in: path }, text: `Signed in to ${host}; the key is in ${path}` })
}

type Stdin = NodeJS.ReadStream

async function readAll(stdin: Stdin): Promise<string> {
  let text = ''
  for await (const chunk of stdin) {
    text += chunk
    if (text.length > 2 * LONGEST_KEY) failUsage('Standard input has more than a key')
  }
  return text
}

/** Does not echo the input. */
async function askForKey(stdin: Stdin, { writeError }: Context['system']): Promise<string> {
  writeError('API key: ')
  stdin.setRawMode(true)
  try {
    return await readLine(stdin)
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    writeError('\n')
  }
}

const END = new Set(['\r', '\n', '\u0004'])
const ERASE = new Set(['\u007f', '\b'])

async function readLine(stdin: Stdin): Promise<string> {
  let typed = ''
  for await (const chunk of stdin) {
    for (const character of String(chunk)) {
      if (END.has(character)) return typed
      // In raw mode, Ctrl+C arrives as a character.
      if (character === '\u0003') process.kill(process.pid, 'SIGINT')
      else typed = ERASE.has(character) ? typed.slice(0, -1) : typed + character
    }
  }
  return typed
}
