// The schemas of users, groups and the enterprise extension (RFC 7643 §4, §8.7) as data. There is no `password`: it is
// never stored or returned.

type AttributeType = 'string' | 'boolean' | 'dateTime' | 'binary' | 'reference' | 'complex'

export interface AttributeDefinition {
  name: string
  type: AttributeType
  description: string
  multiValued: boolean
  required: boolean
  caseExact: boolean
  mutability: 'readWrite' | 'readOnly' | 'immutable'
  uniqueness: 'none' | 'server'
  canonicalValues?: readonly string[]
  referenceTypes?: readonly string[]
  subAttributes?: readonly AttributeDefinition[]
}

export interface SchemaDefinition {
  id: string
  name: string
  description: string
  attributes: readonly AttributeDefinition[]
}

type Choices = Partial<Omit<AttributeDefinition, 'name' | 'type' | 'description'>>

function define(
  type: AttributeType,
  name: string,
  description: string,
  choices: Choices = {},
): AttributeDefinition {
  return {
    name,
    type,
    description,
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    uniqueness: 'none',
    ...choices,
  }
}

const text = (name: string, description: string, choices?: Choices) =>
  define('string', name, description, choices)

const reference = (name: string, description: string, referenceTypes: string[], choices: Choices = {}) =>
  define('reference', name, description, { referenceTypes, ...choices })

const object = (name: string, description: string, subAttributes: AttributeDefinition[]) =>
  define('complex', name, description, { subAttributes })

const list = (
  name: string,
  description: string,
  subAttributes: AttributeDefinition[],
  choices: Choices = {},
) => define('complex', name, description, { multiValued: true, subAttributes, ...choices })

const READ_ONLY = { mutability: 'readOnly' } as const
const IMMUTABLE = { mutability: 'immutable' } as const

const DISPLAY = text('display', 'Text to show for this value')
const PRIMARY = define('boolean', 'primary', 'Whether this is the preferred value. At most one is.')

function kind(canonicalValues: string[] = []): AttributeDefinition {
  return text('type', 'What the value is for', canonicalValues.length > 0 ? { canonicalValues } : {})
}

/** The attributes of every resource. The Schemas endpoint does not list them. */
export const COMMON_ATTRIBUTES: readonly AttributeDefinition[] = [
  define('reference', 'schemas', 'The schemas of the resource', { multiValued: true, ...READ_ONLY }),
  text('id', 'The id that the service gave the resource', { caseExact: true, ...READ_ONLY }),
  text('externalId', 'The id that the identity provider gave the resource', { caseExact: true }),
  define('complex', 'meta', 'Data about the resource itself', {
    ...READ_ONLY,
    subAttributes: [
      text('resourceType', 'The type of the resource', { caseExact: true }),
      define('dateTime', 'created', 'When the resource was created'),
      define('dateTime', 'lastModified', 'When the resource was last changed'),
      text('location', 'The URL of the resource'),
      text('version', 'The version of the resource'),
    ],
  }),
]

const NAME = object('name', 'The parts of the name', [
  text('formatted', 'The full name, ready to show'),
  text('familyName', 'Family name, or last name'),
  text('givenName', 'Given name, or first name'),
  text('middleName', 'Middle names'),
  text('honorificPrefix', 'Title before the name, such as Dr'),
  text('honorificSuffix', 'Suffix after the name, such as III'),
])

const ADDRESSES = list('addresses', 'Postal addresses', [
  text('formatted', 'The whole address, ready to print'),
  text('streetAddress', 'Street, house number and the like'),
  text('locality', 'City or town'),
  text('region', 'State or region'),
  text('postalCode', 'Postal code'),
  text('country', 'Country'),
  kind(['work', 'home', 'other']),
  PRIMARY,
])

const GROUPS = list(
  'groups',
  'The groups that the user is a member of; changed through the groups',
  [
    text('value', 'The id of the group', READ_ONLY),
    reference('$ref', 'The URL of the group', ['User', 'Group'], READ_ONLY),
    text('display', 'The name of the group', READ_ONLY),
    text('type', 'Whether the membership is direct', {
      canonicalValues: ['direct', 'indirect'],
      ...READ_ONLY,
    }),
  ],
  READ_ONLY,
)

export const USER_DEFINITION: SchemaDefinition = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'User Account',
  attributes: [
    text('userName', 'The name that identifies the user', { required: true, uniqueness: 'server' }),
    NAME,
    text('displayName', 'The name to show'),
    text('nickName', 'What the user is usually called'),
    reference('profileUrl', 'The URL of a page about the user', ['external']),
    text('title', 'Job title'),
    text('userType', 'Relationship to the organization, such as Employee or Contractor'),
    text('preferredLanguage', 'Preferred languages, as in the header Accept-Language'),
    text('locale', 'How to format dates, numbers and currencies, such as en-US'),
    text('timezone', 'Time zone, such as Europe/Oslo'),
    define('boolean', 'active', 'Whether the user has access'),
    list('emails', 'Mail addresses', [
      text('value', 'The mail address'),
      DISPLAY,
      kind(['work', 'home', 'other']),
      PRIMARY,
    ]),
    list('phoneNumbers', 'Phone numbers', [
      text('value', 'The phone number'),
      DISPLAY,
      kind(['work', 'home', 'mobile', 'fax', 'pager', 'other']),
      PRIMARY,
    ]),
    list('ims', 'Addresses for instant messages', [
      text('value', 'The address'),
      DISPLAY,
      kind(['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo']),
      PRIMARY,
    ]),
    list('photos', 'Photos', [
      reference('value', 'The URL of the photo', ['external']),
      DISPLAY,
      kind(['photo', 'thumbnail']),
      PRIMARY,
    ]),
    ADDRESSES,
    GROUPS,
    list('entitlements', 'What the user is entitled to', [
      text('value', 'The entitlement'),
      DISPLAY,
      kind(),
      PRIMARY,
    ]),
    list('roles', 'Roles in the directory', [text('value', 'The role'), DISPLAY, kind(), PRIMARY]),
    list('x509Certificates', 'Certificates of the user', [
      define('binary', 'value', 'The certificate: DER, in Base64', { caseExact: true }),
      DISPLAY,
      kind(),
      PRIMARY,
    ]),
  ],
}

export const GROUP_DEFINITION: SchemaDefinition = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'Group',
  attributes: [
    text('displayName', 'The name of the group', { required: true }),
    list('members', 'The members of the group', [
      text('value', 'The id of the member', IMMUTABLE),
      text('display', 'The name of the member', IMMUTABLE),
      reference('$ref', 'The URL of the member', ['User', 'Group'], IMMUTABLE),
      text('type', 'The type of the member', { canonicalValues: ['User', 'Group'], ...IMMUTABLE }),
    ]),
  ],
}

export const ENTERPRISE_DEFINITION: SchemaDefinition = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    text('employeeNumber', 'The number or code of the employee'),
    text('costCenter', 'The cost center'),
    text('organization', 'The company or organization'),
    text('division', 'The division'),
    text('department', 'The department'),
    object('manager', 'The manager of the user', [
      text('value', 'The id of the manager'),
      reference('$ref', 'The URL of the manager', ['User']),
      text('displayName', 'The name of the manager', READ_ONLY),
    ]),
  ],
}
