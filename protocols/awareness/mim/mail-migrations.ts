// The tables of mailboxes and messages. Every change locks the mailbox row: counts are exact, order holds.
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { mail_functions, mailboxes_full_code } from './mail-functions.ts'
import {
  deliveries_max,
  mail_states,
  mailboxes_by_others_max,
  mailboxes_of_tenant_max,
} from './mail-limits.ts'
import { me, path } from './mail-sql.ts'

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')

const mailboxes = `
  CREATE TABLE mailboxes (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox text COLLATE "C" NOT NULL,
    owner_did text COLLATE "C" NOT NULL,
    delegates text[] NOT NULL DEFAULT '{}',
    live integer NOT NULL DEFAULT 0 CHECK (live >= 0),
    dead integer NOT NULL DEFAULT 0 CHECK (dead >= 0),
    -- Of live and dead ones together.
    bytes bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    last_place bigint NOT NULL DEFAULT 0,
    -- Of messages without an ordering key; the others count in mail_streams.
    last_seq bigint NOT NULL DEFAULT 0,
    opened_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, mailbox)
  ) WITH (fillfactor = 50);
  ${isolateByTenant('mailboxes', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'INSERT', 'UPDATE'])}

  CREATE TABLE mail_streams (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox text COLLATE "C" NOT NULL,
    ordering_key text COLLATE "C" NOT NULL,
    last_seq bigint NOT NULL,
    PRIMARY KEY (tenant_id, mailbox, ordering_key)
  );
  ${isolateByTenant('mail_streams', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'INSERT', 'UPDATE'])}
`

// What a sender wrote is sealed; keys here are blinded and only compared.
const messages = `
  CREATE TABLE mail_messages (
    tenant_id text COLLATE "C" NOT NULL,
    message_id uuid NOT NULL,
    mailbox text COLLATE "C" NOT NULL,
    place bigint NOT NULL,
    ordering_key text COLLATE "C",
    seq bigint NOT NULL,
    state text NOT NULL CHECK (state IN (${quoted(mail_states)})),
    -- May be handed out now: it is visible, and nothing stands before it in its order.
    ready boolean NOT NULL,
    qos smallint NOT NULL CHECK (qos BETWEEN 0 AND 2),
    priority smallint NOT NULL,
    sender_did text COLLATE "C" NOT NULL,
    dedupe_key text COLLATE "C",
    thread_key text COLLATE "C",
    type_key text COLLATE "C",
    size integer NOT NULL,
    -- Both null once the content was destroyed.
    sealed bytea,
    wrapped_key bytea,
    attempt integer NOT NULL DEFAULT 0,
    attempts_max integer NOT NULL DEFAULT ${deliveries_max},
    sent_at timestamptz NOT NULL,
    visible_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- When time next changes it; null where it cannot any more.
    due_at timestamptz,
    ended_at timestamptz,
    forget_at timestamptz,
    dead_reason text CHECK (dead_reason IN ('max_deliveries', 'rejected')),
    note_sealed bytea,
    note_key bytea,
    -- As its sender gave it: put back, a message has it anew.
    ttl interval NOT NULL,
    PRIMARY KEY (tenant_id, message_id),
    CHECK (NOT ready OR state = 'queued'),
    CHECK ((due_at IS NULL) = (state IN ('acked', 'expired')))
  );
  CREATE INDEX mail_ready ON mail_messages (tenant_id, mailbox, priority DESC, place) WHERE ready;
  CREATE INDEX mail_due ON mail_messages (tenant_id, mailbox, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX mail_open ON mail_messages (tenant_id, mailbox, place) WHERE state IN ('queued', 'in_flight');
  CREATE INDEX mail_aside ON mail_messages (tenant_id, mailbox, state, place) WHERE state IN ('received', 'dead');
  CREATE INDEX mail_heads ON mail_messages (tenant_id, mailbox, ordering_key, seq)
    WHERE ordering_key IS NOT NULL AND state IN ('queued', 'in_flight');
  CREATE INDEX mail_dedupe ON mail_messages (tenant_id, mailbox, sender_did, dedupe_key, sent_at)
    WHERE dedupe_key IS NOT NULL;
  CREATE INDEX mail_forget ON mail_messages (forget_at) WHERE forget_at IS NOT NULL;
  ${isolateByTenant('mail_messages', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'INSERT', 'UPDATE'])}
`

export const mail_migrations: readonly Migration[] = [
  { name: '2026-11-18-10-mail', sql: `${mailboxes}${messages}` },
  { name: '2026-11-18-11-mail-functions', sql: mail_functions },
  {
    // Lists start with the newest; delivered messages are counted without scanning all that wait.
    name: '2026-11-20-21-mail-lists',
    sql: `
      CREATE INDEX mailboxes_of_tenant ON mailboxes (tenant_id, opened_at, mailbox);
      CREATE INDEX mail_in_flight ON mail_messages (tenant_id, mailbox, due_at) WHERE state = 'in_flight';
    `,
  },
]

export const mail_owner_migrations: readonly Migration[] = [
  {
    // A mailbox with a name belongs to nobody ('') until it is declared, or its first receiver takes it.
    name: '2026-12-02-29-mailbox-owners',
    sql: `
      CREATE OR REPLACE FUNCTION svc_mail_enter(in_tenant text, in_mailbox text, in_owner text, at timestamptz)
        RETURNS mailboxes LANGUAGE plpgsql ${path} AS $enter$
      DECLARE
        box mailboxes;
        -- Nobody closes a mailbox, so others must not be able to use up all that an organization may have.
        most integer := CASE WHEN in_tenant = ${me} THEN ${mailboxes_of_tenant_max} ELSE ${mailboxes_by_others_max} END;
      BEGIN
        SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox FOR UPDATE;
        IF NOT FOUND THEN
          IF in_owner IS NULL THEN RETURN box; END IF;
          IF most <= (SELECT count(*) FROM (SELECT FROM mailboxes b WHERE b.tenant_id = in_tenant LIMIT most) there) THEN
            RAISE EXCEPTION USING ERRCODE = '${mailboxes_full_code}', MESSAGE = 'too many mailboxes';
          END IF;
          INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at)
            VALUES (in_tenant, in_mailbox, in_owner, at) ON CONFLICT DO NOTHING;
          SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox FOR UPDATE;
        END IF;
        IF box.owner_did = '' AND in_owner <> '' THEN
          UPDATE mailboxes b SET owner_did = in_owner WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox
            RETURNING b.* INTO box;
        END IF;
        RETURN box;
      END $enter$;
    `,
  },
]
