// The Compose files: Compose's own loader reads them, with and without the proxy.
import { join } from 'node:path'
import { getBuilt, getSource, run } from './tools.mjs'

export function checkCompose() {
  const loader = getBuilt('compose-spec', getSource('compose'), './cmd')
  run('compose file', loader, [join('deploy', 'compose', 'compose.yaml')])
}
