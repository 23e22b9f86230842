// Which tenants do not simply live in this database: those that are being moved to another one or from it, and those that were.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@svc/contract/database'
import { type Refusal, unavailable } from '@svc/contract/refusal'
import { tenantMoved, tenantMoving } from '@svc/contract/tenant-home'
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { Homes } from '@svc/engine/homes'
import type { Log } from '@svc/engine/ports'
import { changes_channel } from './api-keys.ts'
import { findTenant } from './tenant-directory.ts'

/** The change kind of the feed. */
export const home_change = 'home'

/** `copying` changes nothing for callers; `live` says that a move has arrived, until its source knows. */
export const home_states = ['copying', 'moving', 'moved', 'arriving', 'live'] as const
export type HomeState = (typeof home_states)[number]

export const home_migrations: readonly Migration[] = [
  {
    name: '2026-12-09-10-tenant-homes',
    sql: `
      CREATE TABLE tenant_homes (
        tenant_id text COLLATE "C" PRIMARY KEY,
        move_id uuid NOT NULL,
        state text NOT NULL CHECK (state IN (${home_states.map((state) => `'${state}'`).join(', ')})),
        -- The other database, for people: without a name or a password.
        other text NOT NULL,
        since timestamptz NOT NULL DEFAULT now()
      );
      ${isolateByTenant('tenant_homes', [], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
      -- An engine confirms that it has begun no call of these tenants that is not over, and that its journal is committed.
      CREATE TABLE tenant_move_confirmations (
        move_id uuid NOT NULL,
        journal_id uuid NOT NULL,
        PRIMARY KEY (move_id, journal_id)
      );
      GRANT SELECT, INSERT, DELETE ON tenant_move_confirmations TO ${engine_role};
      -- Set where an engine stopped in order: nothing is left in its journal.
      ALTER TABLE journal_positions ADD COLUMN drained_at timestamptz;
      CREATE FUNCTION svc_tell_home() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('${changes_channel}', '${home_change}:' || coalesce(NEW.tenant_id, OLD.tenant_id));
        RETURN NULL;
      END $$;
      CREATE TRIGGER tenant_homes_tell AFTER INSERT OR UPDATE OR DELETE ON tenant_homes
        FOR EACH ROW EXECUTE FUNCTION svc_tell_home();
      ALTER TABLE tenant_homes ENABLE ALWAYS TRIGGER tenant_homes_tell;
    `,
  },
]

export interface TenantHome {
  readonly tenant_id: string
  readonly move_id: string
  readonly state: HomeState
  readonly other: string
}

async function homesOf(db: Database, tenant_ids: readonly string[]): Promise<TenantHome[]> {
  return sql<TenantHome>`
    SELECT tenant_id, move_id, state, other FROM tenant_homes WHERE tenant_id = ANY(${tenant_ids}) ORDER BY tenant_id`.all(
    db,
  )
}

/** What an engine confirms when it knows of a move. */
interface Confirming {
  readonly journal_id: string
  /** The move has left records in the outbox. */
  outboxChanged(): void
  /** Everything journalled so far is committed, and what was in the outbox. */
  flush(): Promise<void>
}

export interface TenantHomes extends Homes {
  /** A row has changed. */
  changed(): void
  load(): Promise<void>
  exists(tenant_id: string): Promise<boolean>
}

const retry_ms = 250
const calls_look_ms = 20

/** A gateway confirms nothing: it begins no calls. */
export function tenantHomes(db: Database, log: Log, confirming?: () => Confirming): TenantHomes {
  return new HomeCache(db, log, confirming)
}

type Away = Pick<TenantHome, 'state' | 'move_id'>

class HomeCache implements TenantHomes {
  readonly #db: Database
  readonly #log: Log
  readonly #confirming: (() => Confirming) | undefined
  #away = new Map<string, Away>()
  /** Calls that are not over, by tenant. */
  readonly #calls = new Map<string, number>()
  readonly #confirmed = new Set<string>()
  #is_loaded = false
  #loading: Promise<void> | undefined
  #again = false

  constructor(db: Database, log: Log, confirming?: () => Confirming) {
    this.#db = db
    this.#log = log
    this.#confirming = confirming
  }

  enter(tenant_id: string): void {
    this.#calls.set(tenant_id, (this.#calls.get(tenant_id) ?? 0) + 1)
  }

  leave(tenant_id: string): void {
    const left = (this.#calls.get(tenant_id) ?? 1) - 1
    if (left > 0) this.#calls.set(tenant_id, left)
    else this.#calls.delete(tenant_id)
  }

  /**
   * By what was read last, also while the database is away: a move waits until every engine whose journal is held has
   * confirmed it, and for every journal that is not held until it is empty.
   */
  refusal(tenant_id: string): Refusal | undefined | Promise<Refusal | undefined> {
    if (this.#is_loaded) return refusalOf(tenant_id, this.#away.get(tenant_id))
    return homesOf(this.#db, [tenant_id]).then(
      ([home]) => refusalOf(tenant_id, home),
      (error) => unavailable('database', error),
    )
  }

  async exists(tenant_id: string): Promise<boolean> {
    return (await findTenant(this.#db, tenant_id)) !== undefined
  }

  changed(): void {
    this.load().catch((error) => {
      this.#log.warn({ err: error }, 'where tenants live could not be read; trying again')
      setTimeout(() => this.changed(), retry_ms).unref()
    })
  }

  /** A change that arrives while it is being read makes it read again. */
  load(): Promise<void> {
    if (this.#loading) this.#again = true
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #load(): Promise<void> {
    do {
      this.#again = false
      const rows = await sql<TenantHome>`
        SELECT tenant_id, move_id, state, other FROM tenant_homes WHERE state IN ('moving', 'moved', 'arriving')`.all(
        this.#db,
      )
      this.#away = new Map(rows.map(({ tenant_id, ...home }) => [tenant_id, home]))
    } while (this.#again)
    this.#is_loaded = true
    if (!this.#confirming) return
    const moves = this.#moves()
    for (const move_id of this.#confirmed) if (!moves.has(move_id)) this.#confirmed.delete(move_id)
    for (const move_id of moves) if (!this.#confirmed.has(move_id)) this.#confirm(move_id)
  }

  #moves(): Set<string> {
    return new Set(
      [...this.#away.values()].filter(({ state }) => state === 'moving').map((home) => home.move_id),
    )
  }

  #confirm(move_id: string): void {
    this.#confirmed.add(move_id)
    this.#settle(move_id).catch((error) => {
      this.#confirmed.delete(move_id)
      this.#log.warn({ err: error }, 'a move of a tenant could not be confirmed; trying again')
      setTimeout(() => this.changed(), retry_ms).unref()
    })
  }

  /** Calls that were begun before are over, and their records committed; so are those of the move so far, while the chain takes them. */
  async #settle(move_id: string): Promise<void> {
    while (this.#hasCalls(move_id)) await pause(calls_look_ms, undefined, { ref: false })
    const audit_log = this.#confirming!()
    audit_log.outboxChanged()
    await audit_log.flush()
    await sql`
      INSERT INTO tenant_move_confirmations (move_id, journal_id)
      SELECT ${move_id}::uuid, ${audit_log.journal_id}::uuid WHERE EXISTS (
        SELECT FROM tenant_homes WHERE move_id = ${move_id}::uuid AND state = 'moving')
      ON CONFLICT DO NOTHING`.execute(this.#db)
  }

  #hasCalls(move_id: string): boolean {
    return [...this.#away].some(([tenant_id, home]) => home.move_id === move_id && this.#calls.has(tenant_id))
  }
}

function refusalOf(tenant_id: string, home: Away | undefined): Refusal | undefined {
  if (home?.state === 'moved') return tenantMoved(tenant_id)
  return home?.state === 'moving' || home?.state === 'arriving' ? tenantMoving(tenant_id) : undefined
}
