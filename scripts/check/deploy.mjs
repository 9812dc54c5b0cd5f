// `npm run check -- deploy`: checks everything in deploy/ with the programs that will read it: Helm, the schemas of Kubernetes and
// its pod security, an API server of Kubernetes, promtool, systemd-analyze and a real systemd, the loader of Compose, and a real
// Caddy in front of a real service. Go builds what is missing, from its module proxy, into DEPLOY_TOOLS or
// .cache/deploy-tools. `--update` writes the goldens of the chart.

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
