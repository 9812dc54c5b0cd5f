// The health check of the image, which has no curl: exits with 0 if the container's service is alive.
import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'

const TIMEOUT_MS = 4000
const { PORT = '8001', WAYBILL_METRICS_PORT, WAYBILL_ROLE, WAYBILL_TLS_CERT_FILE } = process.env

const isWorker =
  WAYBILL_ROLE === 'work' || readFileSync('/proc/1/cmdline', 'utf8').split('\0').includes('work')
// Without a port, a worker does not listen: all there is to know is that it runs.
if (!isWorker || WAYBILL_METRICS_PORT) ask()

function ask() {
  const isSecure = !WAYBILL_METRICS_PORT && Boolean(WAYBILL_TLS_CERT_FILE)
  const options = {
    host: '127.0.0.1',
    port: WAYBILL_METRICS_PORT || PORT,
    path: '/healthz',
    timeout: TIMEOUT_MS,
    // The certificate is for the public name.
    rejectUnauthorized: false,
  }
  const request = (isSecure ? https : http).get(options, response => {
    response.resume()
    process.exitCode = response.statusCode === 200 ? 0 : 1
  })
  request.on('timeout', () => request.destroy(new Error('no answer')))
  request.on('error', error => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
}
