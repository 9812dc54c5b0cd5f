// `npm run check -- deploy`: checks everything in deploy/ with the programs that will read it: Helm, the Kubernetes
// schemas and pod security, a Kubernetes API server, promtool, systemd-analyze and a real systemd, the Compose
// loader, and a real Caddy in front of a real service. Go builds missing programs, from its module proxy, into
// DEPLOY_TOOLS or .cache/deploy-tools. `--update` writes the chart's golden files.

import { prepare } from '../run/prepare.mjs'
import { checkChart } from './deploy/chart.mjs'
import { checkCompose } from './deploy/compose.mjs'
import { checkInstall } from './deploy/install.mjs'
import { checkProxy } from './deploy/proxy.mjs'
import { checkRules } from './deploy/rules.mjs'
import { checkRunningUnit } from './deploy/start-unit.mjs'
import { checkUnit } from './deploy/unit.mjs'

prepare()
checkRules()
checkUnit()
await checkRunningUnit()
checkChart(process.argv.includes('--update'))
await checkInstall()
checkCompose()
await checkProxy()
console.log('Everything in deploy/ is as its programs expect.')
