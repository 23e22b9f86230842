import { headOf } from '@svc/audit/query/records'
import type { AuditRecord } from '@svc/contract/audit/audit-record-schema'
import { type EventType, isKnownEvent } from '@svc/contract/audit/event'
import { operation, protocol, recordingOperation } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import {
  AnyObject,
  Closed,
  described,
  HexHash,
  ListOf,
  OneOf,
  Outcome,
  Period,
  Text,
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
import { evidenceFor } from './audit-log-evidence.ts'
import { verifyRecords } from './audit-log-proofs.ts'
import { AuditQueryInput, AuditQueryOutput } from './audit-query-schema.ts'
import { ComplianceReport, issueReport } from './compliance-report.ts'
import { explainRequest } from './explaining.ts'
import { terminalRecord } from './explanation.ts'
import { ExplanationInput, ExplanationOutput } from './explanation-schema.ts'
import { framework_names } from './frameworks/frameworks.ts'
import { ReportFileInput, ReportFileOutput, reportFile } from './reports/report-file.ts'
import { correlation_id, one_request, remembered, report_id, reported } from './scenes.ts'
import { asProv, traceGraph } from './trace-graph.ts'
import { view_operations } from './views/operations.ts'
import { webhook_operations } from './webhook-operations.ts'

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
        event_type: Text(80, {
          description:
            'Use custom.<name>; an unknown type is stored as Error, one of the service is refused.',
        }),
        outcome: Type.Optional(described(Outcome, 'How what you record ended. Default success.')),
        correlation_id: Type.Optional(described(Uuid, 'Request it belongs to; default this one.')),
        protocol: Type.Optional(Text(64, { description: 'Protocol the record is about.' })),
        operation: Type.Optional(Text(128, { description: 'Operation the record is about.' })),
        meta: described(AnyObject, 'Your own data, up to 64 KiB; it cannot be changed or deleted later.'),
      }),
      output: Closed({
        seq: Type.Integer({ description: 'Place of the record in the chain.' }),
        record_hash: described(HexHash, 'Hash of the new record.'),
        previous_hash: described(HexHash, 'Hash of the record before it.'),
        chain_head: described(HexHash, 'Hash of the newest record of the log then.'),
        stored_event_type: Type.String({
          description: 'Event type it was stored under; Error where yours is unknown.',
        }),
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
      input: AuditQueryInput,
      output: AuditQueryOutput,
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
        correlation_id: described(Uuid, 'Request whose records are shown.'),
        depth: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 5,
            default: 2,
            description: 'How many steps from the request the graph goes.',
          }),
        ),
        format: Type.Optional(
          described(OneOf('json', 'prov'), 'prov adds the graph as PROV-JSON. Default json.'),
        ),
      }),
      output: Closed({
        nodes: described(
          ListOf(AnyObject, 0, 5000),
          'Requests, stages, records, agents, policies and treaties, each with id, type, label and data.',
        ),
        edges: described(
          ListOf(
            Closed({
              from: Type.String({ description: 'Id of the node that is the effect.' }),
              to: Type.String({ description: 'Id of the node that is the cause.' }),
              rel: Type.String({ description: 'Relation in words of W3C PROV, or authorizedBy, refusedBy.' }),
            }),
            0,
            10000,
          ),
          'How the nodes are related; effects point at causes.',
        ),
        prov: Type.Optional(described(AnyObject, 'The same graph as PROV-JSON; only with format prov.')),
        metadata: described(AnyObject, 'What the protocol reported about the call, e.g. the path it took.'),
        complete: Type.Boolean({ description: 'The request has ended and its last record was found.' }),
        missing: described(ListOf(Type.String()), 'What the graph lacks, in words.'),
        heads: described(AnyObject, "Newest record hash of each tenant's chain that was read."),
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
      needs: ['audit_log', 'policies', 'served', 'telemetry'],
      input: ExplanationInput,
      output: ExplanationOutput,
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
        framework: Type.Optional(
          described(
            OneOf(...framework_names),
            'Standard whose controls are answered from the log. Default core.',
          ),
        ),
        include_controls: Type.Optional(
          Type.Boolean({
            default: true,
            description: 'Answer the controls; without them only the chain is verified and counted.',
          }),
        ),
      }),
      output: ComplianceReport,
      scene: remembered,
      example: { period: { from: stand_ins.a_month_ago, to: stand_ins.in_an_hour } },
      handle: (input, context) => issueReport(input, context),
    }),

    compliance_report_file: operation({
      summary: 'Get an issued compliance report as CSV or PDF, with its proofs, to hand on.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      deadline_ms: 30_000,
      needs: ['compute'],
      input: ReportFileInput,
      output: ReportFileOutput,
      scene: reported,
      example: { report_id, format: 'pdf' },
      handle: reportFile,
    }),

    ...view_operations,
    ...webhook_operations,
  },
})

/** Metadata reported by the module and by an external service it called. */
function moduleMetadata(
  terminal: Pick<Static<typeof AuditRecord>, 'meta'> | undefined,
): Record<string, unknown> {
  const { module, supplied } = terminal?.meta ?? {}
  return { ...Object((supplied as { module?: unknown } | undefined)?.module), ...Object(module) }
}
