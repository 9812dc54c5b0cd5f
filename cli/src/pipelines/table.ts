// A pipeline for each CI system, as data: `npm run docs` writes the files below deploy/ci and docs/ci.md from
// it, and cli/test/pipelines.slow.test.ts runs every one of them. A CI system proves the identity of the job
// in its own way; the shell lines are the same.
import { buildCircleci } from './circleci.ts'
import {
  BUILD,
  DEPLOY,
  EVIDENCE,
  FINISH,
  FLOW,
  HOST,
  KEEP_RECEIPTS,
  ORG,
  RECEIPTS_FILE,
  RECEIPTS_VARIABLE,
  REPORT,
  SPOOL_FILE,
  TEMPLATE,
  TEMPLATE_FILE,
  writeInstall,
} from './lines.ts'
import { joinLines, type Pipeline, type PipelineFile } from './pipeline.ts'

const VARIABLES = { WAYBILL_HOST: HOST, WAYBILL_ORG: ORG, WAYBILL_FLOW: FLOW }
const AUDIENCE = `${HOST}/${ORG}`

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
            with: {
              // Two artifacts of a run may not have the same name, and a job that runs again is in the same run.
              name: `waybill-\${{ github.job }}-\${{ strategy.job-index }}-\${{ github.run_attempt }}`,
              path: joinLines([RECEIPTS_FILE, SPOOL_FILE]),
              'if-no-files-found': 'ignore',
            },
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
            `echo "${RECEIPTS_VARIABLE}=$PWD/${RECEIPTS_FILE}" >> "$GITHUB_ENV"`,
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
          [RECEIPTS_VARIABLE]: `$CI_PROJECT_DIR/${RECEIPTS_FILE}`,
        },
        before_script: [writeInstall('$[[ inputs.version ]]')],
        after_script: [FINISH],
        artifacts: { when: 'always', paths: [RECEIPTS_FILE, SPOOL_FILE] },
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
    // A text in double quotes, in which Jenkins fills in the folder of the build.
    `    ${RECEIPTS_VARIABLE} = "\${WORKSPACE}/${RECEIPTS_FILE}"`,
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
    `      archiveArtifacts artifacts: '${RECEIPTS_FILE}, ${SPOOL_FILE}', allowEmptyArchive: true`,
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

function buildAzure(version: string): Pipeline {
  const env = { SYSTEM_ACCESSTOKEN: '$(System.AccessToken)' }
  const keep = (file: string) =>
    `if [ -f ${file} ]; then echo "##vso[artifact.upload artifactname=waybill-$SYSTEM_JOBID-$SYSTEM_JOBATTEMPT]$PWD/${file}"; fi`
  const pipeline = {
    trigger: ['main'],
    pool: { vmImage: 'ubuntu-latest' },
    variables: {
      ...VARIABLES,
      [RECEIPTS_VARIABLE]: `$(System.DefaultWorkingDirectory)/${RECEIPTS_FILE}`,
      WAYBILL_AZURE_SERVICE_CONNECTION_ID: '00000000-0000-0000-0000-000000000000',
    },
    steps: [
      { bash: BUILD },
      // Without it, only the last line of a step can fail it.
      { bash: joinLines(['set -e', writeInstall(version), ...EVIDENCE]), env },
      { bash: joinLines(['set -e', DEPLOY, REPORT]), env },
      {
        bash: joinLines([FINISH, 'finished=$?', keep(RECEIPTS_FILE), keep(SPOOL_FILE), 'exit $finished']),
        env,
        condition: 'always()',
      },
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
  const exports = [
    ...Object.entries(VARIABLES).map(([name, value]) => `export ${name}=${value}`),
    KEEP_RECEIPTS,
  ]
  const step = {
    name: 'build',
    oidc: { audiences: [AUDIENCE] },
    script: [BUILD, writeInstall(version), ...exports, ...EVIDENCE, DEPLOY, REPORT],
    'after-script': [...exports, FINISH],
    artifacts: [RECEIPTS_FILE, SPOOL_FILE],
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
    commands: [
      `trap '${FINISH}' EXIT`,
      // A single dollar sign would be filled in where the pipeline is uploaded.
      KEEP_RECEIPTS.replace('$', '$$$$'),
      BUILD,
      writeInstall(version),
      ...EVIDENCE,
      DEPLOY,
      REPORT,
    ],
    artifact_paths: [RECEIPTS_FILE, SPOOL_FILE],
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
