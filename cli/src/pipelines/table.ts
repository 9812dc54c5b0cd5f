// A pipeline for each CI system, as data: `npm run docs` writes the files below deploy/ci and docs/ci.md from
// it, and cli/test/pipelines.slow.test.ts runs every one of them. A CI system proves the identity of the job
// in its own way; the shell lines are the same.
import {
  BUILD,
  DEPLOY,
  EVIDENCE,
  FINISH,
  FLOW,
  HOST,
  ORG,
  REPORT,
  SPOOL_FILE,
  TEMPLATE,
  TEMPLATE_FILE,
  writeInstall,
} from './lines.ts'

export interface PipelineFile {
  /** The path in the user's repository. */
  path: string
  /** The path below deploy/ci. */
  written: string
  about: string
  /** YAML documents, or the text of a Jenkinsfile. */
  content: readonly object[] | string
}

export interface Pipeline {
  /** As in cli/src/ci/systems.ts. */
  system: string
  title: string
  /** What the trust rule must name, and how the job gets its token. */
  token: string
  files: readonly PipelineFile[]
}

const VARIABLES = { WAYBILL_HOST: HOST, WAYBILL_ORG: ORG, WAYBILL_FLOW: FLOW }
const AUDIENCE = `${HOST}/${ORG}`
const joinLines = (lines: readonly string[]): string => `${lines.join('\n')}\n`

export const TEMPLATE_PIPELINE_FILE: PipelineFile = {
  path: TEMPLATE_FILE,
  written: TEMPLATE_FILE,
  about: 'what every build must show',
  content: [TEMPLATE],
}

export const buildPipelines = (version: string): readonly Pipeline[] => [
  buildGithub(version),
  buildGitlab(version),
  buildJenkins(version),
  buildCircleci(version),
  buildAzure(version),
  buildBitbucket(version),
  buildBuildkite(version),
]

function buildGithub(version: string): Pipeline {
  const workflow = {
    name: 'build',
    on: 'push',
    permissions: { contents: 'read', 'id-token': 'write' },
    jobs: {
      build: {
        'runs-on': 'ubuntu-latest',
        steps: [
          { uses: 'actions/checkout@v5' },
          { run: BUILD },
          { uses: './.github/actions/waybill', with: { host: HOST, org: ORG, flow: FLOW } },
          { run: joinLines(EVIDENCE) },
          { run: DEPLOY },
          { run: REPORT },
          { if: 'always()', run: FINISH },
          {
            if: 'always()',
            uses: 'actions/upload-artifact@v4',
            with: { name: 'waybill-spool', path: SPOOL_FILE, 'if-no-files-found': 'ignore' },
          },
        ],
      },
    },
  }
  return {
    system: 'github',
    title: 'GitHub Actions',
    token: 'The job requests its token, with the permission `id-token: write`.',
    files: [
      {
        path: '.github/workflows/build.yml',
        written: 'github/build.yml',
        about: 'the pipeline',
        content: [workflow],
      },
      {
        path: '.github/actions/waybill/action.yml',
        written: 'github/action.yml',
        about: 'an action that installs the program; every command signs in by itself',
        content: [buildAction(version)],
      },
    ],
  }
}

function buildAction(version: string): object {
  const inputs = {
    host: { description: 'The address of the service', required: true },
    org: { description: 'The organization', required: true },
    flow: { description: 'The flow, for all commands that need one', required: false, default: '' },
    version: { description: 'The version of the command line', required: false, default: version },
  }
  return {
    name: 'Set up Waybill',
    description: 'Install the command line of Waybill, whose commands sign in by the identity of the job',
    inputs,
    runs: {
      using: 'composite',
      steps: [
        {
          shell: 'bash',
          // Not in the script itself, where a value could become a command.
          env: {
            HOST: `\${{ inputs.host }}`,
            ORG: `\${{ inputs.org }}`,
            FLOW: `\${{ inputs.flow }}`,
            VERSION: `\${{ inputs.version }}`,
          },
          run: joinLines([
            writeInstall('$VERSION').replace(/waybill@.*/, '"waybill@$VERSION"'),
            '{ echo "WAYBILL_HOST=$HOST"; echo "WAYBILL_ORG=$ORG"; echo "WAYBILL_FLOW=$FLOW"; } >> "$GITHUB_ENV"',
          ]),
        },
      ],
    },
  }
}

function buildGitlab(version: string): Pipeline {
  const component = [
    {
      spec: {
        inputs: {
          host: { description: 'The address of the service' },
          org: { description: 'The organization' },
          flow: { description: 'The flow, for all commands that need one', default: '' },
          version: { description: 'The version of the command line', default: version },
        },
      },
    },
    {
      '.waybill': {
        image: 'node:24',
        id_tokens: { WAYBILL_ID_TOKEN: { aud: '$[[ inputs.host ]]/$[[ inputs.org ]]' } },
        variables: {
          WAYBILL_HOST: '$[[ inputs.host ]]',
          WAYBILL_ORG: '$[[ inputs.org ]]',
          WAYBILL_FLOW: '$[[ inputs.flow ]]',
        },
        before_script: [writeInstall('$[[ inputs.version ]]')],
        after_script: [FINISH],
        artifacts: { when: 'always', paths: [SPOOL_FILE] },
      },
    },
  ]
  const pipeline = {
    include: [{ local: 'templates/waybill.yml', inputs: { host: HOST, org: ORG, flow: FLOW } }],
    build: { extends: '.waybill', script: [BUILD, ...EVIDENCE, DEPLOY, REPORT] },
  }
  return {
    system: 'gitlab',
    title: 'GitLab CI',
    token: 'The job gets one token, from `id_tokens` of the component.',
    files: [
      { path: '.gitlab-ci.yml', written: 'gitlab/build.yml', about: 'the pipeline', content: [pipeline] },
      {
        path: 'templates/waybill.yml',
        written: 'gitlab/component.yml',
        about: 'a component that installs the program and asks for the token',
        content: component,
      },
    ],
  }
}

function buildJenkins(version: string): Pipeline {
  const writeStep = (line: string) => `        sh '${line}'`
  const writeStage = (name: string, lines: readonly string[]) => [
    `    stage('${name}') {`,
    '      steps {',
    ...lines.map(writeStep),
    '      }',
    '    }',
  ]
  const content = joinLines([
    'pipeline {',
    "  agent { docker { image 'node:24' } }",
    '  environment {',
    ...Object.entries(VARIABLES).map(([name, value]) => `    ${name} = '${value}'`),
    "    WAYBILL_ID_TOKEN = credentials('waybill-id-token')",
    '  }',
    '  stages {',
    ...writeStage('Build', [BUILD, writeInstall(version)]),
    ...writeStage('Evidence', EVIDENCE),
    ...writeStage('Deploy', [DEPLOY, REPORT]),
    '  }',
    '  post {',
    '    always {',
    `      sh '${FINISH}'`,
    `      archiveArtifacts artifacts: '${SPOOL_FILE}', allowEmptyArchive: true`,
    '    }',
    '  }',
    '}',
  ])
  return {
    system: 'jenkins',
    title: 'Jenkins',
    token:
      'The build gets one token, from a credential *OpenID Connect id token* of the plugin *OpenID Connect Provider* with the ' +
      `id \`waybill-id-token\` and the audience \`${AUDIENCE}\`.`,
    files: [{ path: 'Jenkinsfile', written: 'jenkins/Jenkinsfile', about: 'the pipeline', content }],
  }
}

function buildCircleci(version: string): Pipeline {
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
                // A token for each step, and only for this service: CIRCLE_OIDC_TOKEN_V2 is for every service.
                `echo 'export WAYBILL_ID_TOKEN="$(circleci run oidc get --claims "{\\"aud\\":\\"$WAYBILL_HOST/$WAYBILL_ORG\\"}")"' >> "$BASH_ENV"`,
              ]),
            },
          },
        ],
      },
      finish: {
        description: 'Deliver what waits in the spool, or keep it',
        steps: [
          { run: { name: 'Deliver what waits', when: 'always', command: FINISH } },
          { store_artifacts: { path: SPOOL_FILE } },
        ],
      },
    },
  }
}

function buildAzure(version: string): Pipeline {
  const env = { SYSTEM_ACCESSTOKEN: '$(System.AccessToken)' }
  const keep = `echo "##vso[artifact.upload artifactname=waybill-spool]$PWD/${SPOOL_FILE}"`
  const pipeline = {
    trigger: ['main'],
    pool: { vmImage: 'ubuntu-latest' },
    variables: {
      ...VARIABLES,
      WAYBILL_AZURE_SERVICE_CONNECTION_ID: '00000000-0000-0000-0000-000000000000',
    },
    steps: [
      { bash: BUILD },
      // Without it, only the last line of a step can fail it.
      { bash: joinLines(['set -e', writeInstall(version), ...EVIDENCE]), env },
      { bash: joinLines(['set -e', DEPLOY, REPORT]), env },
      { bash: `${FINISH} && { [ ! -f ${SPOOL_FILE} ] || ${keep}; }`, env, condition: 'always()' },
    ],
  }
  return {
    system: 'azure',
    title: 'Azure Pipelines',
    token:
      'The job requests its token for a service connection with workload identity federation, whose id is in ' +
      '`WAYBILL_AZURE_SERVICE_CONNECTION_ID`. The trust rule names the audience that Azure chooses, ' +
      '`api://AzureADTokenExchange`.',
    files: [
      {
        path: 'azure-pipelines.yml',
        written: 'azure/azure-pipelines.yml',
        about: 'the pipeline',
        content: [pipeline],
      },
    ],
  }
}

function buildBitbucket(version: string): Pipeline {
  const exports = Object.entries(VARIABLES).map(([name, value]) => `export ${name}=${value}`)
  const step = {
    name: 'build',
    oidc: { audiences: [AUDIENCE] },
    script: [BUILD, writeInstall(version), ...exports, ...EVIDENCE, DEPLOY, REPORT],
    'after-script': [...exports, FINISH],
    artifacts: [SPOOL_FILE],
  }
  return {
    system: 'bitbucket',
    title: 'Bitbucket Pipelines',
    token: 'The step gets one token, with `oidc`.',
    files: [
      {
        path: 'bitbucket-pipelines.yml',
        written: 'bitbucket/bitbucket-pipelines.yml',
        about: 'the pipeline',
        content: [{ image: 'node:24', pipelines: { default: [{ step }] } }],
      },
    ],
  }
}

function buildBuildkite(version: string): Pipeline {
  const step = {
    label: 'build',
    commands: [`trap '${FINISH}' EXIT`, BUILD, writeInstall(version), ...EVIDENCE, DEPLOY, REPORT],
    artifact_paths: SPOOL_FILE,
  }
  return {
    system: 'buildkite',
    title: 'Buildkite',
    token: 'The agent of the job hands out a token for each command.',
    files: [
      {
        path: '.buildkite/pipeline.yml',
        written: 'buildkite/pipeline.yml',
        about: 'the pipeline',
        content: [{ env: VARIABLES, steps: [step] }],
      },
    ],
  }
}
