// The pipeline of CircleCI, and the orb that it uses.
import {
  BUILD,
  DEPLOY,
  EVIDENCE,
  FINISH,
  FLOW,
  HOST,
  ORG,
  RECEIPTS_FILE,
  RECEIPTS_VARIABLE,
  REPORT,
  SPOOL_FILE,
  writeInstall,
} from './lines.ts'
import { joinLines, type Pipeline } from './pipeline.ts'

export function buildCircleci(version: string): Pipeline {
  const config = {
    version: 2.1,
    orbs: { waybill: `acme/waybill@${version}` },
    jobs: {
      build: {
        docker: [{ image: 'cimg/node:24.11' }],
        steps: [
          'checkout',
          { run: BUILD },
          { 'waybill/setup': { host: HOST, org: ORG, flow: FLOW } },
          { run: joinLines(EVIDENCE) },
          { run: DEPLOY },
          { run: REPORT },
          'waybill/finish',
        ],
      },
    },
    workflows: { build: { jobs: ['build'] } },
  }
  return {
    system: 'circleci',
    title: 'CircleCI',
    token: 'Each step gets a token for the service, from the program `circleci` of the job.',
    files: [
      {
        path: '.circleci/config.yml',
        written: 'circleci/build.yml',
        about: 'the pipeline',
        content: [config],
      },
      {
        path: 'orb.yml, published as an orb of your organization',
        written: 'circleci/orb.yml',
        about: 'an orb that installs the program and asks for tokens',
        content: [buildOrb(version)],
      },
    ],
  }
}

function buildOrb(version: string): object {
  const text = (description: string, more = {}) => ({ description, type: 'string', ...more })
  return {
    version: 2.1,
    description: 'Record evidence with Waybill, without a stored key',
    commands: {
      setup: {
        description: 'Install the command line and let it ask for tokens of the job',
        parameters: {
          host: text('The address of the service'),
          org: text('The organization'),
          flow: text('The flow, for all commands that need one', { default: '' }),
          version: text('The version of the command line', { default: version }),
        },
        steps: [
          {
            run: {
              name: 'Set up Waybill',
              command: joinLines([
                writeInstall('<< parameters.version >>'),
                'echo \'export WAYBILL_HOST="<< parameters.host >>"\' >> "$BASH_ENV"',
                'echo \'export WAYBILL_ORG="<< parameters.org >>"\' >> "$BASH_ENV"',
                'echo \'export WAYBILL_FLOW="<< parameters.flow >>"\' >> "$BASH_ENV"',
                `echo "export ${RECEIPTS_VARIABLE}='$PWD/${RECEIPTS_FILE}'" >> "$BASH_ENV"`,
                // A token for each step, and only for this service: CIRCLE_OIDC_TOKEN_V2 is for every service.
                `echo 'export WAYBILL_ID_TOKEN="$(circleci run oidc get --claims "{\\"aud\\":\\"$WAYBILL_HOST/$WAYBILL_ORG\\"}")"' >> "$BASH_ENV"`,
              ]),
            },
          },
        ],
      },
      finish: {
        description: 'Deliver what waits in the spool, or keep it, and keep the receipts',
        steps: [
          { run: { name: 'Deliver what waits', when: 'always', command: FINISH } },
          { store_artifacts: { path: RECEIPTS_FILE } },
          { store_artifacts: { path: SPOOL_FILE } },
        ],
      },
    },
  }
}
