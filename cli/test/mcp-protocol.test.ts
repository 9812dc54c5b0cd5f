// The protocol of `waybill mcp`, line by line: malformed input gets an error and ends nothing, and standard
// output contains only messages. The transcript is a whole conversation as sent over the wire.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../src/mcp/protocol.ts'
import { fillMcpOrg, GOOD } from './mcp-org.ts'
import { serveCli } from './served-cli.ts'

const TRANSCRIPT = fileURLToPath(new URL('./mcp-transcript.txt', import.meta.url))

const served = serveCli({ role: 'admin' }, ({ app }) => fillMcpOrg(app))

const request = (id: unknown, method: string, params?: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const call = (id: number, name: string, values?: unknown) =>
  request(id, 'tools/call', { name, arguments: values })

async function sendLines(...lines: readonly string[]) {
  const ran = await served.cli.run('mcp', { input: lines.join('\n') })
  expect(ran.code).toBe(0)
  const answers = ran.stdout.split('\n').filter(line => line !== '')
  return { ...ran, answers: answers.map(line => JSON.parse(line)) }
}

describe('a line', () => {
  it.each([
    ['that is not JSON', '{"jsonrpc"', null, ERROR_CODES.parse],
    ['that is a list', '[]', null, ERROR_CODES.invalid_request],
    ['that is a text', '"x"', null, ERROR_CODES.invalid_request],
    ['without a version', '{"id":1,"method":"ping"}', null, ERROR_CODES.invalid_request],
    ['with an id that is an object', request({}, 'ping'), null, ERROR_CODES.invalid_request],
    ['with params that are a list', request(4, 'ping', []), 4, ERROR_CODES.invalid_params],
    ['with an unknown method', request(5, 'tools/erase'), 5, ERROR_CODES.unknown_method],
    ['with an unknown tool', call(6, 'delete_flow'), 6, ERROR_CODES.invalid_params],
    ['that is too long', 'x'.repeat(1024 * 1024 + 1), null, ERROR_CODES.invalid_request],
  ])('%s gets an error, and the next one is answered', async (_, line, id, code) => {
    const { answers } = await sendLines(line, request(9, 'ping'))
    expect(answers).toHaveLength(2)
    expect(answers).toContainEqual({ jsonrpc: '2.0', id, error: { code, message: expect.any(String) } })
    expect(answers).toContainEqual({ jsonrpc: '2.0', id: 9, result: {} })
  })

  it.each([
    ['that is empty', ' '],
    ['that is a notification', JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    ['that is an answer', JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })],
  ])('%s gets no answer', async (_, line) => {
    expect((await sendLines(line, request(9, 'ping'))).answers).toEqual([
      { jsonrpc: '2.0', id: 9, result: {} },
    ])
  })

  it.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-06-18', '2025-06-18'],
    ['2099-01-01', '2025-11-25'],
    [7, '2025-11-25'],
  ])('that asks for protocol %j gets %s', async (protocolVersion, expected) => {
    const { answers } = await sendLines(request(1, 'initialize', { protocolVersion }))
    expect(answers[0].result.protocolVersion).toBe(expected)
  })

  it('that was cancelled gets no answer', async () => {
    const cancelled = JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1 },
    })
    const { answers } = await sendLines(call(1, 'what_runs_where'), cancelled, request(2, 'ping'))
    expect(answers.map(({ id }) => id)).toEqual([2])
  })
})

describe('the program', () => {
  it('needs an organization, and reports that on standard error', async () => {
    const ran = await served.cli.run('mcp', { env: { WAYBILL_ORG: '' } })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('organization')
  })

  it('answers with an error if the service refuses the key', async () => {
    const ran = await served.cli.run('mcp', {
      env: { WAYBILL_API_TOKEN: 'wb_user_wrong' },
      input: call(1, 'what_waits'),
    })
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout).result.isError).toBe(true)
    expect(ran.stdout).not.toContain('wb_user_wrong')
  })

  it('talks as in the transcript', async () => {
    const lines = [
      request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {} }),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      request(2, 'tools/list'),
      call(3, 'what_runs_where', { environment: 'prod' }),
      call(4, 'why_not_compliant', { environment: 'prod' }),
      call(5, 'who_approved', { fingerprint: GOOD }),
      call(6, 'is_it_allowed', {}),
    ]
    const { answers, stderr } = await sendLines(...lines)
    expect(stderr).toBe('')
    const sorted = answers.sort((a, b) => a.id - b.id).map(answer => JSON.stringify(answer, null, 1))
    const written = [...lines.map(line => `> ${line}`), ...sorted.map(answer => `< ${answer}`)].join('\n\n')
    const steady = written
      .replaceAll(/data [0-9a-f]{16}/g, 'data MARK')
      .replaceAll(/http:\/\/(127\.0\.0\.1:\d+|waybill\.test)/g, 'HOST')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{8,12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, 'TIME')
    await expect(`${steady}\n`).toMatchFileSnapshot(TRANSCRIPT)
  })
})
