// What our OSCAL documents look like, as JSON Schema: the part of the OSCAL models that we write, with the same required
// fields, patterns and words, and closed, so that nothing else gets in.

const NAMED_BY_UUID =
  '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[45][0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$'

const uuid = { type: 'string', pattern: NAMED_BY_UUID }
const token = { type: 'string', pattern: '^(\\p{L}|_)(\\p{L}|\\p{N}|[.\\-_])*$' }
const line = { type: 'string', pattern: '^[^\\n]+$' }
const prose = { type: 'string' }
const value = { type: 'string', pattern: '^\\S(.*\\S)?$' }
const uri = { type: 'string', format: 'uri', pattern: '^[a-zA-Z][a-zA-Z0-9+\\-.]+:.+$' }
const uriReference = { type: 'string', format: 'uri-reference', minLength: 1 }
// The years that OSCAL takes; that the day exists is what the format says.
const moment = {
  type: 'string',
  format: 'date-time',
  pattern: '^(19|2[0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?Z$',
}

const word = (...words: string[]) => ({ type: 'string', enum: words })
const some = (items: object) => ({ type: 'array', minItems: 1, items })
const closed = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
})

const property = closed({ name: token, value }, { ns: uri })
const props = some(property)
const metadata = closed({ title: line, 'last-modified': moment, version: value, 'oscal-version': value })

const control = closed(
  {
    id: token,
    title: line,
    parts: some(closed({ id: token, name: word('statement') }, { prose })),
  },
  { props, links: some(closed({ href: uriReference, rel: word('reference'), text: line })) },
)

export const OSCAL_CATALOGUE_SCHEMA = closed({
  catalog: closed({ uuid, metadata }, { controls: some(control) }),
})

const observation = closed({
  uuid,
  title: line,
  description: prose,
  props,
  methods: some(word('EXAMINE', 'INTERVIEW', 'TEST', 'UNKNOWN')),
  types: some(word('ssp-statement-issue', 'control-objective', 'mitigation', 'finding', 'historic')),
  subjects: some(closed({ 'subject-uuid': uuid, type: word('inventory-item'), title: line })),
  'relevant-evidence': some(closed({ href: uriReference, description: prose })),
  collected: moment,
})

const finding = closed(
  {
    uuid,
    title: line,
    description: prose,
    props,
    target: closed({
      type: word('statement-id', 'objective-id'),
      'target-id': token,
      status: closed({
        state: word('satisfied', 'not-satisfied'),
        reason: word('pass', 'fail', 'other'),
        remarks: prose,
      }),
    }),
  },
  { 'related-observations': some(closed({ 'observation-uuid': uuid })) },
)

const selection = {
  anyOf: [
    closed({ 'include-controls': some(closed({ 'control-id': token })) }),
    closed({ 'include-all': closed({}) }),
  ],
}

const result = closed(
  {
    uuid,
    title: line,
    description: prose,
    start: moment,
    end: moment,
    'reviewed-controls': closed({ 'control-selections': some(selection) }),
  },
  {
    'local-definitions': closed({ 'inventory-items': some(closed({ uuid, description: prose, props })) }),
    observations: some(observation),
    findings: some(finding),
  },
)

export const OSCAL_ASSESSMENT_RESULTS_SCHEMA = closed({
  'assessment-results': closed({
    uuid,
    metadata,
    'import-ap': closed({ href: uriReference }),
    results: some(result),
    'back-matter': closed({ resources: some(closed({ uuid, title: line, description: prose })) }),
  }),
})
