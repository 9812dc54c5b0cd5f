// The flags of every command.
import { list, numberOr, text, textOr, toggle } from './flags.ts'

const DEFAULT_HOST = 'http://127.0.0.1:8001'

export const GLOBAL_FLAGS = {
  host: textOr('the address of the service', DEFAULT_HOST, { short: 'H', placeholder: '<url>' }),
  org: text('the organization', { placeholder: '<name>' }),
  'api-token': text('the API key; better in WAYBILL_API_TOKEN or a file than on the command line', {
    short: 'a',
    placeholder: '<key>',
    variables: ['WAYBILL_API_KEY'],
  }),
  'api-token-file': text('a file that holds the API key', { placeholder: '<file>' }),
  'id-token-file': text('a file that holds the identity token of the job or pod, to get an API key for it', {
    placeholder: '<file>',
  }),
  audience: text('for whom the identity token is; by default <host>/<org>', { placeholder: '<url>' }),
  'config-file': text('a file with values of flags, instead of the one of the user', {
    short: 'c',
    placeholder: '<file>',
  }),
  output: textOr('the form of the answer', 'table', {
    short: 'o',
    placeholder: '<form>',
    choices: ['table', 'json', 'yaml', 'csv', 'markdown'],
  }),
  jq: text('a jq expression that is applied to the answer', { placeholder: '<expression>' }),
  quiet: toggle('print only names or ids', false, { short: 'q' }),
  'dry-run': toggle('check everything and print the request instead of sending it', false, { short: 'D' }),
  spool: textOr(
    'lenient: a write that waits in the spool is a success; strict: it is exit code 9; off: no spool',
    'lenient',
    {
      placeholder: '<mode>',
      choices: ['lenient', 'strict', 'off'],
    },
  ),
  receipts: text('the file that keeps the receipts of writes; by default receipts.jsonl beside the spool', {
    placeholder: '<file>',
  }),
  'no-receipts': toggle('ask for no receipts of writes'),
  timeout: numberOr('seconds to keep trying', 30, { min: 1, max: 3600 }),
  'max-api-retries': numberOr('how often to retry at most', 10, { min: 0, max: 100, short: 'r' }),
  'assume-yes': toggle('delete without asking', false, { short: 'y' }),
  yes: toggle('the same as --assume-yes', false, { is_hidden: true }),
  debug: toggle('print requests and retries, without secrets, to standard error'),
  help: toggle('show the help of the command', false, { short: 'h' }),
  'no-color': toggle('accepted for compatibility: the output has no colors', false, { is_hidden: true }),
  'http-proxy': list('accepted for compatibility: set HTTPS_PROXY instead', { is_hidden: true }),
} as const
