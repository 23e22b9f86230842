// The product's own terms. docs/glossary.md is made of them.

export interface Term {
  readonly meaning: string
  /** The page that explains it. */
  readonly page: string
}

export const glossary: Readonly<Record<string, Term>> = {
  agent: {
    meaning: 'A program that calls operations under its own identity, with what it was allowed.',
    page: 'identity.md',
  },
  approval: {
    meaning:
      'The consent of others that one single call needs; given, it is good for exactly that call, once.',
    page: 'approvals.md',
  },
  attestation: {
    meaning: 'A signed statement of one identity about another.',
    page: 'identity.md',
  },
  'audit log': {
    meaning:
      'All decisions of an organization in order, each with the hash of the one before; signed at checkpoints.',
    page: 'guides/4-first-audit.md',
  },
  budget: {
    meaning: 'The most that may be spent; what a call may cost is reserved before it runs.',
    page: 'economy.md',
  },
  'budget counter': {
    meaning: 'A limit and what was spent of it: of an organization, an envelope, a grant or a key.',
    page: 'economy.md',
  },
  capability: {
    meaning:
      'The right to call an operation, by name: svc.<protocol>.<operation>, or svc.<protocol>.* for all.',
    page: 'identity.md',
  },
  caveat: {
    meaning: 'A condition that narrows a capability: a time, a network, an amount, an input, an approval.',
    page: 'identity.md',
  },
  charter: {
    meaning: 'The founding rules of an organization, and the members who may change them by quorum.',
    page: 'governance.md',
  },
  checkpoint: {
    meaning: 'A signed note over the audit log up to one record: its size and the root of its hash tree.',
    page: 'witness.md',
  },
  'conformance level': {
    meaning:
      'How much is known of an identity: L0 it exists, L1 its lineage is verified, L2 it is attested as well.',
    page: 'identity.md',
  },
  'correlation id': {
    meaning: 'A label that ties a call to its records, retries and nested calls.',
    page: 'lifecycle.md',
  },
  council: {
    meaning: 'Members of an organization who vote on a motion, with quorum, threshold and recorded dissent.',
    page: 'governance.md',
  },
  court: {
    meaning: 'Arbitrators who rule on a dispute between parties, with appeal and remedy.',
    page: 'disputes.md',
  },
  delegation: {
    meaning: 'A signed, narrowed part of what one identity may do, passed on to another for a time.',
    page: 'identity.md',
  },
  DID: {
    meaning: 'The name of an identity, derived from its first public key: did:oas:<tenant>:<kind>:<64 hex>.',
    page: 'identity.md',
  },
  'dispatch endpoint': {
    meaning: 'The one address that every call goes to: POST /v1/dispatch.',
    page: 'lifecycle.md',
  },
  'dry run': {
    meaning: 'The verdict of all stages without any effect.',
    page: 'lifecycle.md',
  },
  envelope: {
    meaning: "A department's budget: limits by day and month for its members.",
    page: 'economy.md',
  },
  escrow: {
    meaning: 'An amount that is set aside until both sides, or a ruling, release it.',
    page: 'economy.md',
  },
  estate: {
    meaning:
      'What kind of service a protocol is: stateless (protocol), reasoning (agent), both (hybrid), or in front of a standard of others (adapter).',
    page: '../ARCHITECTURE.md',
  },
  'idempotency key': {
    meaning: 'A name for one attempt of a caller: a write repeated under it runs once and answers the same.',
    page: 'idempotency.md',
  },
  lineage: {
    meaning: 'The signed chain from an identity up to the person or organization it descends from.',
    page: 'identity.md',
  },
  organization: {
    meaning: 'Whoever operates agents and answers for them; in the system it is a tenant.',
    page: 'governance.md',
  },
  plane: {
    meaning: 'One of seven groups of protocols by what they are for, such as governance or economy.',
    page: '../ARCHITECTURE.md',
  },
  plugin: {
    meaning: 'A protocol of your own: signed WebAssembly that runs in a sandbox.',
    page: 'plugins.md',
  },
  policy: {
    meaning: 'A rule of an organization in Cedar that forbids calls, or makes them wait for an approval.',
    page: 'policies.md',
  },
  protocol: {
    meaning: 'A named set of operations, such as MAX for the audit log or MIND for memory.',
    page: 'tour.md',
  },
  receipt: {
    meaning: 'A record with the proof that it is in the audit log, to be checked offline.',
    page: 'lifecycle.md',
  },
  refusal: {
    meaning: 'An answer that says what happened, which rule refused, and what to do next.',
    page: 'guides/2-first-refusal.md',
  },
  role: {
    meaning: 'A named set of capabilities of a person, such as auditor or finance.',
    page: 'people.md',
  },
  runway: {
    meaning: 'The prepaid balance of an organization, from which its calls are paid.',
    page: 'economy.md',
  },
  seal: {
    meaning: 'To end a log with a last signed record, or to encrypt a value under its own key.',
    page: 'governance.md',
  },
  session: {
    meaning: 'A short-lived access that an agent or workload got by proving itself with its key or token.',
    page: 'identity.md',
  },
  stage: {
    meaning: 'One of the eight checks that every call passes after its identity is resolved.',
    page: 'lifecycle.md',
  },
  tenant: {
    meaning:
      'An organization in the system: its identities, rows, budget and audit log, apart from all others.',
    page: 'administration.md',
  },
  treaty: {
    meaning: "Two organizations' signed agreement on what agents of one may call at the other.",
    page: 'governance.md',
  },
  witness: {
    meaning: 'Somebody else who cosigns checkpoints, so that a log cannot be rewritten unnoticed.',
    page: 'witness.md',
  },
  workload: {
    meaning:
      'A program that proves itself by the token of its platform (Kubernetes, CI, SPIFFE) instead of a key.',
    page: 'workloads.md',
  },
}
