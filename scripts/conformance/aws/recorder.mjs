// Passes requests on to moto and records the responses, for the tests that run without it.
import { once } from 'node:events'
import { createServer, request as startRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'

export async function startRecorder(target) {
  const answers = new Map()
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming)
    const { method, url, headers } = incoming
    // The host is part of the signature, so it stays.
    const passed = startRequest(new URL(url, target), { method, headers, setHost: false })
    passed.end(body)
    const [answer] = await once(passed, 'response')
    const content = await buffer(answer)
    const asked = { method, url, target: headers['x-amz-target'], body: body.toString('utf8') }
    const { statusCode: status } = answer
    if (status < 400)
      answers.set(JSON.stringify(asked), { ...asked, status, answer: content.toString('utf8') })
    response.writeHead(status, answer.headers).end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    takeAnswers: () => [...answers.values()],
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
