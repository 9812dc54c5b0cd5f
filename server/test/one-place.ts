// Code that belongs in one place of the source, and where that is. `tidy.test.ts` enforces it.

export interface OnePlace {
  what: RegExp
  only: readonly string[]
  why: string
}

export const ONE_PLACE: readonly OnePlace[] = [
  { what: /\bnew Date\(\s*\)|\bDate\.now\b|\bperformance\.now\b/, only: ['lib/clock.ts'], why: 'the clock' },
  {
    what: /\bsystemClock\b/,
    only: [
      'lib/clock.ts',
      'parts.ts',
      'admin-command.ts',
      'verify-command.ts',
      'jq/processor-time.ts',
      'witness/serve-witness.ts',
    ],
    why: 'the clock of the machine; the time is that of the database',
  },
  {
    what: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b/,
    only: ['lib/ids.ts', 'lib/secrets.ts', 'lib/sealer.ts', 'lib/random.ts'],
    why: 'randomness',
  },
  { what: /\bprocess\.env\b/, only: ['main.ts'], why: 'the environment, handed to settings/config.ts' },
  // Everything else uses `egress.fetch(`.
  {
    what: /(?<![.\w])fetch\(|\bglobalThis\.fetch|['"](undici|node:(https?|http2|tls|dns|dns\/promises|dgram))['"]/,
    // The TLS server listens and opens no connection.
    only: ['packages/egress/', 'http/tls.ts'],
    why: 'the network',
  },
  // The embedded PostgreSQL listens on a socket file as a lock; serve.ts only looks for a free port.
  {
    what: /['"]node:net['"]/,
    only: ['packages/egress/', 'packages/embedded-postgres/', 'serve.ts'],
    why: 'the network',
  },
  // These use a client library, which gets our connections and opens none itself.
  {
    what: /from 's3mini'/,
    only: ['audit-sinks/s3.ts', 'evidence/s3.ts', 'evidence/s3-anchors.ts', 'evidence/s3-uploads.ts'],
    why: 'the network, for buckets',
  },
  { what: /from 'openid-client'/, only: ['signin/oidc.ts'], why: 'the network, for signing in' },
  { what: /from 'nodemailer'/, only: ['mail/send.ts'], why: 'the network, for mail' },
  { what: /\bURL\.canParse\b/, only: [], why: 'a function that Node 20 gets wrong for accented letters' },
  { what: /\beval\(|\bnew Function\(/, only: [], why: 'code from text' },
  { what: /\bconsole\./, only: [], why: 'the console; there is a log' },
  {
    what: /JSON\.parse\(/,
    only: [
      'http/json-gate.ts',
      'db/open.ts',
      'packages/embedded-postgres/src/binaries.ts',
      'admin/backup-manifest.ts',
      'admin/org-transfer.ts',
      'program.ts',
      // Files and answers that a verifier does not trust.
      'verifier/json.ts',
      'domain/audit-package/records.ts',
      // Settings of the operator.
      'settings/readers.ts',
      // Tokens of identity providers and CI systems: names are unique, and no claim is stored as JSON.
      'lib/read-jwt.ts',
      // Untrusted files, registries and programs.
      'packages/fingerprints/src/json.ts',
      // Reports of tools, after checks of their size and depth.
      'packages/evidence-files/src/json-file.ts',
    ],
    why: 'JSON from outside, past the gate',
  },
  { what: /prom-client/, only: ['http/metrics.ts', 'http/client-metrics.ts'], why: 'the metrics library' },
  {
    what: /kosli|azure-apps|SLACK|slack_app|ecs_context|cloud_run_context/i,
    // The file name that an existing client uses.
    only: ['http/compat.ts', 'packages/fingerprints/src/ignore-file.ts'],
    why: 'branded names',
  },
  {
    what: /[`'"]\s*(select |insert into |update \w+ set |delete from |with \w+ as |(create|alter|drop) (table|role) )/,
    only: ['store.ts', 'outbox.ts', 'db/', 'packages/embedded-postgres/'],
    why: 'SQL',
  },
  { what: /\binsert into events\b/, only: ['events/'], why: 'the event log, which has typed kinds' },
]

/** The same for the web app: unsafe code, and code that belongs in web/src/ui or web/src/parts. */
export const ONE_PLACE_IN_WEB: readonly OnePlace[] = [
  {
    what: /dangerouslySetInnerHTML|\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write\b/,
    only: [],
    why: 'HTML from text',
  },
  {
    what: /\b(local|session)Storage\b|\bindexedDB\b/,
    only: [],
    why: 'the storage of the browser',
  },
  {
    what: /document\.cookie|\bcookieStore\b/,
    only: ['ui/preferences.ts'],
    why: 'a second place for cookies',
  },
  { what: /\beval\(|\bnew Function\(/, only: [], why: 'code from text' },
  { what: /\bURL\.canParse\b/, only: [], why: 'a second way to read an address' },
  { what: /\bconsole\./, only: [], why: 'the console' },
  { what: /\bDate\.now\(|\bsetInterval\(/, only: ['live/server-clock.ts'], why: 'a second clock' },
  {
    what: /\brefetchInterval\b/,
    only: ['pages/notifications/queries.ts'],
    why: 'a timer; pages follow changes',
  },
  {
    what: /(?<!loadLater\(\(\) => )\bimport\(/,
    only: [],
    why: 'code that is not loaded again when the server is back',
  },
  { what: /(?<![.\w])fetch\(/, only: ['api.ts'], why: 'the network; there is a client' },
  { what: /_blank/, only: ['ui/external-link.tsx', 'ui/page-link.tsx'], why: 'a new tab' },
  {
    what: /(?<!<ExternalLink[^<>]*)\bhref=\{(?!buildApiPath|buildCsvUrl|`\$\{buildApiPath)/,
    only: ['ui/external-link.tsx', 'shell/'],
    why: 'an unchecked address',
  },
  {
    what: /\brenderRoot\b|import \{[^}]*\bLink\b[^}]*\} from '@tanstack\/react-router'/,
    only: ['shell/'],
    why: 'a second way to link a page',
  },
  { what: /\bcurl -X\b|Bearer /, only: ['parts/curl.ts'], why: 'a second way to write a command' },
  { what: /components\['schemas'\]/, only: ['parts/schemas.ts'], why: 'a second name for a response type' },
  {
    // The second is a question, the third leaves the app, and the last two only write the address.
    what: /<form\b|component="form"/,
    only: [
      'ui/draft-form.tsx',
      'ui/confirm-by-typing.tsx',
      'shell/account-menu.tsx',
      'pages/environments/time-form.tsx',
      'pages/environments/compare.tsx',
    ],
    why: 'a second kind of form',
  },
  { what: /\buseForm\(|\buseForm</, only: ['ui/use-draft.ts'], why: 'a second way to write a form' },
  {
    // Matrices, names with values, and the few rows that one attestation or template has.
    what: /<Table[\s>]|\bTable\.ScrollContainer\b/,
    only: [
      'ui/data-table.tsx',
      'ui/matrix-frame.tsx',
      'ui/facts.tsx',
      'shell/shortcuts-dialog.tsx',
      'pages/flows/slot-table.tsx',
      'pages/flows/template-slots.tsx',
      'pages/flows/evidence/',
    ],
    why: 'a second kind of table',
  },
  { what: /<Breadcrumbs\b/, only: ['ui/crumbs.tsx'], why: 'a second kind of breadcrumbs' },
  { what: /<Pagination\b/, only: ['ui/pager.tsx'], why: 'a second kind of pagination' },
  { what: /<CopyButton\b/, only: ['ui/command.tsx'], why: 'a second way to copy' },
  {
    // The three pages only ask for a preview.
    what: /\buseMutation\b/,
    only: [
      'ui/use-change.ts',
      'pages/policies/try-it.tsx',
      'pages/controls/import.tsx',
      'pages/attestation-types/try-type.tsx',
    ],
    why: 'a second way to change something',
  },
  {
    what: /from '(codemirror|@codemirror\/)/,
    only: ['ui/editor-theme.ts', 'ui/yaml-view.tsx', 'pages/policies/'],
    why: 'the editor',
  },
]
