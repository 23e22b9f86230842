// The search of the pages, in the reader's browser: operations by their exact names first, then pages and operations by their words, with
// prefixes, typing errors and synonyms. Plain script, so that tests run it as the browser does.

const query_length_max = 200
const terms_max = 8
const hits_max = 20
const excerpt_length = 160
const own_words_first = 3
/** What readers type, and the words that the pages use for it. */
export const synonyms = {
  pricing: 'cost budget metering price',
  price: 'cost budget metering',
  billing: 'economy invoice metering cost',
  quota: 'limits budget rate',
  throttling: 'rate limit overload',
  gdpr: 'forget erase retention redaction',
  privacy: 'forget redaction encrypted',
  'revoke key': 'keys revoke',
  'api key': 'keys',
  token: 'key session',
  login: 'sign in session',
  'log in': 'sign in',
  sso: 'sign in openid',
  oidc: 'sign in openid',
  user: 'people roles',
  permission: 'capability roles',
  authorization: 'capability',
  rbac: 'roles capability',
  webhook: 'webhooks set_webhook',
  callback: 'webhooks',
  install: 'deploy packages',
  docker: 'deploy',
  kubernetes: 'deploy chart',
  environment: 'settings',
  config: 'settings',
  monitoring: 'telemetry health metrics',
  logs: 'audit log telemetry',
  blockchain: 'audit log chain checkpoint',
  disaster: 'backup restore',
  contract: 'treaty',
  company: 'organization tenant',
  llm: 'model reasoning mcp',
  encryption: 'encrypted sealed master key',
  hsm: 'master key keys',
  kms: 'master key keys',
  mtls: 'TLS gateway',
  team: 'people roles organization',
  password: 'sign in people invite',
  mfa: 'sign in openid',
  '2fa': 'sign in openid',
  saml: 'sign in openid',
  scim: 'people roles openid',
  terraform: 'configuration as code apply',
  gitops: 'configuration as code apply',
  cron: 'schedule',
  pagination: 'lists after_seq next',
  postman: 'openapi',
  swagger: 'openapi',
  ha: 'replicas',
  'high availability': 'replicas',
  cluster: 'replicas',
  slack: 'webhooks',
  sla: 'slo measuring health',
  'kill switch': 'emergency_stop emergency stop',
  'delete data': 'forget forgetting erase',
  'right to be forgotten': 'forget forgetting erase',
  'eu ai act': 'compliance report',
  'error code': 'codes exit refusal',
  start: 'readme start first call',
}

/** What a question is made of besides what it is about. */
const question_words = new Set(
  'a an and are be can could do does for from get how i if in is it me my of on or should that the this to use we what when where which who why with you your'.split(
    ' ',
  ),
)

const field_boosts = { names: 6, title: 4, text: 1 }
/** Why something was chosen, and when it came, is seldom what a reader looks for: last. */
const isAside = ({ href }) => href.startsWith('decisions/') || href.startsWith('changelog')

/** `MiniSearch` is handed in: it comes with the built site. Without it there are no typing errors, and simpler scores. */
export function openSearch(MiniSearch, documents) {
  const ranked = MiniSearch ? rankedBy(MiniSearch, documents) : rankedPlainly(documents)

  return (query) => {
    const typed = wordsIn(query.slice(0, query_length_max)).slice(0, terms_max)
    if (typed.length === 0) return []
    const telling = typed.filter((word) => !question_words.has(word))
    const terms = telling.length > 0 ? telling : typed
    const text = terms.join(' ')
    const texts = [...new Set([typed.join(' '), text])]
    const order = new Set([
      ...documents.filter(({ names = [] }) =>
        names.some((name) => texts.some((each) => isNamed(name, each))),
      ),
      ...documents.filter(({ title }) => texts.some((each) => isTitle(title, each))),
      ...texts.flatMap(phrasesIn).flatMap((words) => ranked(words, 'AND').slice(0, own_words_first)),
      // What stands in a page under the reader's own word may be beside the point: the page for it comes soon after.
      ...ranked(text, 'AND').slice(0, own_words_first),
      ...texts.flatMap(synonymsOf).flatMap((words) => ranked(words, 'OR', as_written).slice(0, hits_max / 2)),
      ...ranked(text, 'AND'),
      ...ranked(text, 'OR'),
    ])
    const { last = [], first = [] } = Object.groupBy(order, (document) =>
      isAside(document) ? 'last' : 'first',
    )
    return [...first, ...last].slice(0, hits_max).map((document) => hitOf(document, terms))
  }
}

const wordsIn = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function rankedBy(MiniSearch, documents) {
  const index = new MiniSearch({
    fields: Object.keys(field_boosts),
    idField: 'href',
    searchOptions: {
      boost: field_boosts,
      prefix: isLong,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  })
  index.addAll(documents)
  const by_href = new Map(documents.map((document) => [document.href, document]))
  return (words, combineWith, options) =>
    index.search(words, { combineWith, ...options }).map(({ id }) => by_href.get(id))
}

/** By how many of the words stand in a document, in its title first. */
function rankedPlainly(documents) {
  const entries = documents.map((document) => ({
    document,
    title: wordsIn(document.title).join(' '),
    text: wordsIn(document.text).join(' '),
  }))
  const pointsOf = ({ title, text }, term) =>
    (title.includes(term) ? field_boosts.title : 0) + (text.includes(term) ? field_boosts.text : 0)
  return (words, combineWith) => {
    const terms = wordsIn(words)
    return entries
      .map((entry) => ({ entry, points: terms.map((term) => pointsOf(entry, term)) }))
      .filter(({ points }) => (combineWith === 'AND' ? points.every(Boolean) : points.some(Boolean)))
      .map(({ entry, points }) => ({
        document: entry.document,
        score: points.reduce((sum, n) => sum + n, 0),
      }))
      .sort((a, b) => b.score - a.score)
      .map(({ document }) => document)
  }
}

/** Our own words have no typing errors: `forget` is not meant as `forge`. */
const as_written = { fuzzy: false }

const isLong = (term) => term.length > 2

/** `audit query`, `audit_query`, `MAX.audit_query` and `svc.max.audit_query` name one operation. */
function isNamed(name, text) {
  const words = wordsIn(name.replaceAll('_', ' ')).join(' ')
  return words === text || words.slice(words.indexOf(' ') + 1) === text || `svc ${words}` === text
}

/** A page is called Webhooks or Settings, and readers look for one. */
function isTitle(title, text) {
  const words = wordsIn(title).join(' ')
  return words === text || words === `${text}s`
}

/** Several words that mean one thing together: each of them alone leads elsewhere ("log in" to the log). */
function phrasesIn(text) {
  return Object.keys(synonyms)
    .filter((phrase) => phrase.includes(' ') && phrase === text)
    .map((phrase) => synonyms[phrase])
}

function synonymsOf(text) {
  return Object.entries(synonyms)
    .filter(([phrase]) => ` ${text} `.includes(` ${phrase} `) || ` ${text} `.includes(` ${phrase}s `))
    .map(([, words]) => words)
}

function hitOf({ title, href, text, kind }, terms) {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const near = places.length === 0 ? 0 : Math.min(...places)
  const begin = near < excerpt_length / 2 ? 0 : lower.lastIndexOf(' ', near - excerpt_length / 4) + 1
  const end = begin + excerpt_length
  const excerpt = `${begin > 0 ? '… ' : ''}${text.slice(begin, end)}${end < text.length ? ' …' : ''}`
  return { title, href, kind, excerpt }
}
