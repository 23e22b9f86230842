import { headOf } from '@svc/audit/query/records'
import { AuditRecord } from '@svc/contract/audit/audit-record-schema'
import { type EventType, isKnownEvent } from '@svc/contract/audit/event'
import { operation, protocol, recordingOperation } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import {
  AnyObject,
  CapabilityName,
  Closed,
  Did,
  Hash,
  HexHash,
  ListOf,
  OneOf,
  Outcome,
  Period,
  Ref,
  TenantId,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  filterOf,
  headsOf,
  inputsOf,
  partnersRecordsOf,
  readAuditLog,
  recordsOf,
  requireFreeTag,
  requireMoments,
  requireSelector,
  requireSmallMeta,
} from './audit-log-access.ts'
import { ChainKey, evidenceFor, InclusionProof, SignedNote } from './audit-log-evidence.ts'
import { verifyRecords } from './audit-log-proofs.ts'
import { frameworks } from './compliance.ts'
import { ComplianceReport, issueReport } from './compliance-report.ts'
import { explainRequest } from './explaining.ts'
import { terminalRecord } from './explanation.ts'
import { correlation_id, one_request, remembered } from './scenes.ts'
import { asProv, traceGraph } from './trace-graph.ts'

export const max = protocol({
  id: 'MAX',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'The record: every decision, allowed or refused, provable offline.',

  operations: {
    audit_log_entry: recordingOperation({
      summary: "Append a record of your own to your tenant's audit log and get its place in the chain.",
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['telemetry'],
      input: Closed({
        event_type: Text(80),
        outcome: Type.Optional(Outcome),
        correlation_id: Type.Optional(Uuid),
        protocol: Type.Optional(Text(64)),
        operation: Type.Optional(Text(128)),
        meta: AnyObject,
      }),
      output: Closed({
        seq: Type.Integer(),
        record_hash: HexHash,
        previous_hash: HexHash,
        chain_head: HexHash,
        stored_event_type: Type.String(),
      }),
      example: { event_type: 'custom.shift_started', meta: { shift: 'night' } },

      handle(input, context) {
        requireFreeTag(input.event_type)
        requireSmallMeta(input.meta)
        const { event_type, outcome, correlation_id, meta, ...named } = input
        const is_known = isKnownEvent(event_type)
        if (!is_known) context.telemetry.count('audit_unknown_event')
        // Kept apart from the engine's own fields, so that nobody can forge a decision of the service.
        const supplied = { ...meta, ...named, ...(is_known ? {} : { original_event_type: event_type }) }
        const stored = is_known ? (event_type as EventType) : 'Error'
        return { pending: context.audit(stored, {}, { supplied, outcome, correlation_id }) }
      },
      finish: (_, committed) => {
        const { record, chain_head } = committed!
        const { seq, record_hash, previous_hash, event_type: stored_event_type } = record
        return { seq, record_hash, previous_hash, chain_head, stored_event_type }
      },
    }),

    audit_query: operation({
      summary:
        "Find records in your tenant's audit log, or in another's that both took part in, with proofs on request.",
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      exempt: true,
      outlives: true,
      needs: ['audit_log', 'charter'],
      input: Closed({
        correlation_id: Type.Optional(Uuid),
        correlation_ids: Type.Optional(ListOf(Uuid, 1, 100)),
        include_inputs: Type.Optional(Type.Boolean({ default: false })),
        tenant_id: Type.Optional(TenantId),
        event_type: Type.Optional(ListOf(Text(80), 1, 32)),
        protocol: Type.Optional(Text(64)),
        operation: Type.Optional(Text(128)),
        outcome: Type.Optional(Outcome),
        caller_did: Type.Optional(Did),
        from: Type.Optional(Timestamp),
        to: Type.Optional(Timestamp),
        after_seq: Type.Optional(Type.Integer({ minimum: 0 })),
        before_seq: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Only records before this one, the newest first.' }),
        ),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
        verify: Type.Optional(Type.Boolean({ default: false })),
        proof_report: Type.Optional(Hash),
        include_checkpoints: Type.Optional(
          wanted('Adds keys, and the notes signed at a record of the page.'),
        ),
        include_proofs: Type.Optional(wanted('Adds a path from each record to a signed note.')),
      }),
      output: Closed({
        records: ListOf(AuditRecord, 0, 1000),
        inputs: Type.Optional(AnyObject),
        head: HexHash,
        next_after_seq: Type.Optional(Type.Integer()),
        next_before_seq: Type.Optional(Type.Integer()),
        verified: Type.Optional(Closed({ ok: Type.Boolean(), first_bad_seq: Type.Optional(Type.Integer()) })),
        proofs: Type.Optional(ListOf(InclusionProof, 0, 1000)),
        keys: Type.Optional(ListOf(ChainKey, 0, 10_000)),
        checkpoints: Type.Optional(ListOf(SignedNote, 0, 1000)),
        newest_checkpoint: Type.Optional(SignedNote),
      }),
      scene: remembered,
      example: { protocol: 'MIND', outcome: 'success', limit: 10, verify: true },

      async handle(input, context) {
        requireMoments(input)
        requireSelector(input)
        await context.audit_log.settled()
        const { db, tenant_id: own } = context
        const owner = input.tenant_id ?? own
        const page = await readAuditLog(owner, filterOf(input, input.limit ?? 100), context)
        const { records, next_after_seq, next_before_seq, verified } = page
        const audit_log = { db, tenant_id: owner }
        const inputs = input.include_inputs ? await inputsOf(records, context) : undefined
        return {
          records: [...records],
          inputs,
          head: (await headOf(db, owner)).hash,
          next_after_seq,
          next_before_seq,
          verified: input.verify ? (verified ?? (await verifyRecords(records, audit_log))) : undefined,
          ...(await evidenceFor(records, input, audit_log)),
        }
      },
    }),

    traceability_graph: operation({
      summary: 'Rebuild the whole story of a request as a graph.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      exempt: true,
      outlives: true,
      needs: ['audit_log'],
      input: Closed({
        correlation_id: Uuid,
        depth: Type.Optional(Type.Integer({ minimum: 0, maximum: 5, default: 2 })),
        format: Type.Optional(OneOf('json', 'prov')),
      }),
      output: Closed({
        nodes: ListOf(AnyObject, 0, 5000),
        edges: ListOf(Closed({ from: Type.String(), to: Type.String(), rel: Type.String() }), 0, 10000),
        prov: Type.Optional(AnyObject),
        metadata: AnyObject,
        complete: Type.Boolean(),
        missing: ListOf(Type.String()),
        heads: AnyObject,
      }),
      scene: one_request,
      example: { correlation_id },

      async handle(input, context) {
        const records = await recordsOf(input.correlation_id, context)
        const others = await partnersRecordsOf(input.correlation_id, records, context)
        const graph = traceGraph(input.correlation_id, [...records, ...others], input.depth ?? 2)
        const terminal = terminalRecord(records)
        return {
          nodes: graph.nodes.map((node) => ({ ...node })),
          edges: graph.edges.map((edge) => ({ ...edge })),
          prov: input.format === 'prov' ? asProv(graph) : undefined,
          metadata: moduleMetadata(terminal),
          complete: terminal !== undefined,
          missing: terminal ? [] : ['the record that ends the request'],
          heads: await headsOf([context.tenant_id, ...others.map(({ tenant_id }) => tenant_id)], context),
        }
      },
    }),

    explainability_request: operation({
      summary: 'Ask why a request was allowed or refused, and what would have changed it.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      exempt: true,
      outlives: true,
      needs: ['audit_log', 'policies', 'telemetry'],
      input: Closed({
        correlation_id: Uuid,
        audience: Type.Optional(OneOf('subject', 'operator', 'auditor')),
        counterfactuals: Type.Optional(Type.Boolean({ default: true })),
      }),
      output: Closed({
        decision: OneOf('allowed', 'refused', 'failed'),
        stage: Type.Integer(),
        code: Type.Optional(Type.String()),
        reason: Type.String(),
        capability: Closed({
          requested: Type.Optional(CapabilityName),
          matched: Type.Optional(Type.String()),
          source: Type.Optional(Type.String()),
          ref: Type.Optional(
            Type.String({ description: 'Delegation token, treaty or envelope that gave the capability.' }),
          ),
          credential: Type.Optional(
            Type.String({ description: 'Id of the API key, `token:` or `session:` that was presented.' }),
          ),
        }),
        policies: ListOf(
          Closed({ id: Type.String(), version: Type.String(), effect: Type.String(), text: Type.String() }),
          0,
          4096,
        ),
        council: Type.Optional(
          Closed({
            verdict: Type.Union([Ref, Type.Null()]),
            pass: Type.Boolean(),
            dissent: ListOf(Type.Unknown(), 0, 1024),
          }),
        ),
        limits: Type.Optional(AnyObject),
        counterfactuals: ListOf(Closed({ change: Type.String(), result: Type.String() })),
        appeal_path: Type.Optional(Type.String()),
        narrative: Type.String(),
        evidence: ListOf(Ref),
        consistent: Type.Boolean(),
      }),
      scene: one_request,
      example: { correlation_id },

      handle: explainRequest,
    }),

    compliance_report: operation({
      summary: 'Get a signed attestation of your audit log over a period, for an auditor.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 120_000,
      needs: ['audit_log'],
      input: Closed({
        period: Period,
        framework: Type.Optional(OneOf(...frameworks)),
        include_controls: Type.Optional(Type.Boolean({ default: true })),
      }),
      output: ComplianceReport,
      scene: remembered,
      example: { period: { from: stand_ins.a_month_ago, to: stand_ins.in_an_hour } },
      handle: (input, context) => issueReport(input, context),
    }),
  },
})

/** Metadata reported by the module and by an external service it called. */
function moduleMetadata(
  terminal: Pick<Static<typeof AuditRecord>, 'meta'> | undefined,
): Record<string, unknown> {
  const { module, supplied } = terminal?.meta ?? {}
  return { ...Object((supplied as { module?: unknown } | undefined)?.module), ...Object(module) }
}

function wanted(description: string) {
  return Type.Boolean({ default: false, description })
}
