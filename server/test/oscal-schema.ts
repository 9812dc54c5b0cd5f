// JSON Schema of the OSCAL documents that we export: the subset of the OSCAL models that we use, with the same
// required fields, patterns and values. Objects are closed, so that nothing else gets in.

const NAMED_BY_UUID =
  '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[45][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$'

const uuid = { type: 'string', pattern: NAMED_BY_UUID }
const token = { type: 'string', pattern: '^(\\p{L}|_)(\\p{L}|\\p{N}|[.\\-_])*$' }
const line = { type: 'string', pattern: '^[^\\n]+$' }
const prose = { type: 'string' }
const value = { type: 'string', pattern: '^\\S(.*\\S)?$' }
const uri = { type: 'string', format: 'uri', pattern: '^[a-zA-Z][a-zA-Z0-9+\\-.]+:.+$' }
const uriReference = { type: 'string', format: 'uri-reference', minLength: 1 }
// The years that OSCAL accepts; the format checks that the day exists.
const dateTime = {
  type: 'string',
  format: 'date-time',
  pattern: '^(19|2[0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?Z$',
}

const buildEnum = (...words: string[]) => ({ type: 'string', enum: words })
const buildList = (items: object) => ({ type: 'array', minItems: 1, items })
const buildObject = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
})

const property = buildObject({ name: token, value }, { ns: uri })
const props = buildList(property)
const metadata = buildObject({
  title: line,
  'last-modified': dateTime,
  version: value,
  'oscal-version': value,
})

const control = buildObject(
  {
    id: token,
    title: line,
    parts: buildList(buildObject({ id: token, name: buildEnum('statement') }, { prose })),
  },
  { props, links: buildList(buildObject({ href: uriReference, rel: buildEnum('reference'), text: line })) },
)

export const OSCAL_CATALOGUE_SCHEMA = buildObject({
  catalog: buildObject({ uuid, metadata }, { controls: buildList(control) }),
})

const observation = buildObject(
  {
    uuid,
    title: line,
    description: prose,
    props,
    methods: buildList(buildEnum('EXAMINE', 'INTERVIEW', 'TEST', 'UNKNOWN')),
    types: buildList(
      buildEnum('ssp-statement-issue', 'control-objective', 'mitigation', 'finding', 'historic'),
    ),
    subjects: buildList(
      buildObject({ 'subject-uuid': uuid, type: buildEnum('inventory-item'), title: line }),
    ),
    'relevant-evidence': buildList(buildObject({ href: uriReference, description: prose })),
    collected: dateTime,
  },
  { expires: dateTime },
)

const finding = buildObject(
  {
    uuid,
    title: line,
    description: prose,
    props,
    target: buildObject({
      type: buildEnum('statement-id', 'objective-id'),
      'target-id': token,
      status: buildObject({
        state: buildEnum('satisfied', 'not-satisfied'),
        reason: buildEnum('pass', 'fail', 'other'),
        remarks: prose,
      }),
    }),
  },
  { 'related-observations': buildList(buildObject({ 'observation-uuid': uuid })) },
)

const selection = {
  anyOf: [
    buildObject({ 'include-controls': buildList(buildObject({ 'control-id': token })) }),
    buildObject({ 'include-all': buildObject({}) }),
  ],
}

const result = buildObject(
  {
    uuid,
    title: line,
    description: prose,
    start: dateTime,
    end: dateTime,
    'reviewed-controls': buildObject({ 'control-selections': buildList(selection) }),
  },
  {
    'local-definitions': buildObject({
      'inventory-items': buildList(buildObject({ uuid, description: prose, props })),
    }),
    observations: buildList(observation),
    findings: buildList(finding),
  },
)

export const OSCAL_ASSESSMENT_RESULTS_SCHEMA = buildObject({
  'assessment-results': buildObject({
    uuid,
    metadata,
    'import-ap': buildObject({ href: uriReference }),
    results: buildList(result),
    'back-matter': buildObject({
      resources: buildList(buildObject({ uuid, title: line, description: prose })),
    }),
  }),
})
