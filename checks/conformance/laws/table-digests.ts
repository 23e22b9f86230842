// Shows whether a call changed anything: the row versions of every table, whoever owns it.
import assert from 'node:assert/strict'
import type { Client } from 'pg'
import type { InProcessService } from '../../engines/in-process.ts'
import { until } from '../../suite/eventually.ts'

/** Every call changes the audit log, usage, spending and times of last use. Measurements change with time. */
const always_changing = [
  'mind_cell',
  'meter_names',
  'meter_sums',
  'meter_moved',
  'meter_hours',
  'spend',
  'billing',
  'runway_state',
  'audit_pages',
  'audit_hot_pages',
  'audit_tail',
  'audit_terms',
  'audit_tree',
  'audit_checkpoints',
  // Partners of a treaty cosign each other's checkpoints in the background.
  'audit_cosignatures',
  'witness_logs',
  'chain_heads',
  'journal_positions',
  // Engines say which root keys they hold.
  'root_key_engines',
  'api_keys',
  // An index that can be lost is rebuilt in the background.
  'content_index',
  'content_index_epoch',
  // Scrubbed in the background, once no older transaction runs.
  'content_redaction',
  'kg_entity_epoch',
  'call_names',
  'call_sums',
  'metric_series',
  'metric_point',
  'metric_sources',
  'endpoints_health',
]

/** Columns by which rows say that somebody still tends them, whoever calls: what else they hold is compared. */
const beating: Readonly<Record<string, string>> = {
  maker_action: '{heartbeat_at}',
  // Put off, see below.
  mail_messages: '{due_at}',
  // Each follows the audit log, which every call makes longer.
  webhooks: '{seq,waiting_since,failures,failing_since,last_failure,next_at,taken_by,taken_until,turn_at}',
  // Read each minute.
  alert_rules: '{last_value,last_read_at,last_failure,next_at,taken_by,taken_until}',
  alerts: '{value,quiet_since,resolved_at,told_at}',
}

/** A dissolution goes on by itself, and the panel of a case is drawn and its other side served: that would look like a change by the next call. */
const unsettled = `
  SELECT 1 FROM dissolutions
    WHERE notice_until <= now() AND state NOT IN ('READY_TO_SEAL', 'ARCHIVED', 'CANCELLED')
  UNION ALL SELECT 1 FROM case_draws WHERE drawn_at IS NULL
  UNION ALL SELECT 1 FROM cases WHERE served_at IS NULL AND closed_at IS NULL AND state = 'FILED'`

/** Mail that an earlier example left comes back, or expires, when its time has come: not while a call is judged. */
const postponing = `UPDATE mail_messages SET due_at = due_at + interval '1 day' WHERE due_at < now() + interval '1 hour'`

export class TableDigests {
  readonly #owner: Client
  readonly #service: InProcessService
  readonly #sql: string
  #latest: Record<string, string> = {}

  private constructor(owner: Client, service: InProcessService, sql: string) {
    this.#owner = owner
    this.#service = service
    this.#sql = sql
  }

  static async open(owner: Client, service: InProcessService): Promise<TableDigests> {
    // Many small tables in one statement would start parallel workers, which take ten times as long.
    await owner.query('SET max_parallel_workers_per_gather = 0')
    const { rows } = await owner.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace AND NOT relname = ANY($1)`,
      [always_changing],
    )
    const names = rows.map(({ name }) => name)
    assert.ok(names.includes('audit_inputs') && names.includes('idempotency_keys'))
    // Each row version has the id of the transaction that wrote it: far cheaper than its content, and stricter.
    const each = names.map((name) => {
      const version = beating[name]
        ? `hashtext((to_jsonb(t) - '${beating[name]}'::text[])::text)`
        : 't.xmin::text::bigint'
      return `SELECT '${name}' AS name, count(*) || ' ' || sum(${version}) AS digest FROM ${name} t`
    })
    return new TableDigests(owner, service, each.join(' UNION ALL '))
  }

  /** What was changed before is forgotten. */
  async begin(): Promise<void> {
    this.#latest = await this.#take()
  }

  /** The tables that changed since the call judged before, or `begin`, once everything answered is in the audit log. */
  async changedBy(call: () => Promise<unknown>): Promise<string[]> {
    const before = this.#latest
    await this.#owner.query(postponing)
    await call()
    this.#latest = await this.#take()
    return Object.keys(before).filter((name) => before[name] !== this.#latest[name])
  }

  async #take(): Promise<Record<string, string>> {
    await until('nothing goes on by itself', async () => !(await this.#owner.query(unsettled)).rowCount)
    const { audit_log } = this.#service.service
    audit_log.outboxChanged()
    await audit_log.flush()
    const statement = { name: 'digests', text: this.#sql }
    const { rows } = await this.#owner.query<{ name: string; digest: string }>(statement)
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
  }
}
