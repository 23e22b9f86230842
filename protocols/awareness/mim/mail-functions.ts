// Mailbox logic as database functions: one round trip for a send, one for a receive.
import { engine_role } from '@svc/database/migration'
import {
  dedupe_days,
  deliveries_max,
  mailbox_bytes_max,
  mailbox_live_max,
  mailboxes_by_others_max,
  mailboxes_of_tenant_max,
  settled_at_once_max,
} from './mail-limits.ts'
import { mail_receiving } from './mail-receiving.ts'
import { me, path, retention } from './mail-sql.ts'

/** Raised if an organization would have too many mailboxes. */
export const mailboxes_full_code = 'SVM01'
/** Raised if no treaty with the recipient is in force; the engine may not know of its end yet. */
export const no_treaty_code = 'SVM02'

const time = `
  -- The first of each order may be handed out; nothing ever comes before it again.
  -- Calls reach a mailbox in another order than they began, and clocks differ: what was visible once stays so.
  -- Such a one is due only at its end, so nobody would look at its order again until then.
  CREATE FUNCTION svc_mail_heads(in_tenant text, in_mailbox text, keys text[], at timestamptz) RETURNS void
    LANGUAGE sql ${path} AS $heads$
    UPDATE mail_messages m SET ready = true
    FROM (SELECT DISTINCT key FROM unnest(keys) AS k(key)) wanted CROSS JOIN LATERAL (
      SELECT h.message_id, h.state FROM mail_messages h
      WHERE h.tenant_id = in_tenant AND h.mailbox = in_mailbox AND h.ordering_key = wanted.key
        AND h.state IN ('queued', 'in_flight') ORDER BY h.seq LIMIT 1) head
    WHERE m.tenant_id = in_tenant AND m.message_id = head.message_id AND head.state = 'queued' AND NOT m.ready
      AND (m.visible_at <= at OR m.due_at = m.expires_at AND m.visible_at < m.expires_at)
  $heads$;

  -- What time has changed by now: back in the queue, dead, expired. Whoever calls it holds the mailbox.
  CREATE FUNCTION svc_mail_settle(in_tenant text, in_mailbox text, at timestamptz) RETURNS integer
    LANGUAGE plpgsql ${path} AS $settle$
  DECLARE
    changed record;
  BEGIN
    WITH due AS (
      SELECT m.message_id, m.size, m.ordering_key, m.state AS was, CASE
          WHEN m.state = 'received' THEN 'acked'
          WHEN m.state = 'dead' OR m.expires_at <= at THEN 'expired'
          WHEN m.state = 'in_flight' AND m.attempt >= m.attempts_max THEN 'dead'
          ELSE 'queued' END AS next
      FROM mail_messages m WHERE m.tenant_id = in_tenant AND m.mailbox = in_mailbox AND m.due_at <= at
      ORDER BY m.due_at LIMIT ${settled_at_once_max}
    ), moved AS (
      UPDATE mail_messages m SET state = due.next,
        ready = due.next = 'queued' AND m.ordering_key IS NULL,
        due_at = CASE due.next WHEN 'queued' THEN m.expires_at WHEN 'dead' THEN at + ${retention} END,
        ended_at = CASE WHEN due.next <> 'queued' THEN at END,
        forget_at = CASE WHEN due.was = 'dead' THEN at WHEN due.next IN ('acked', 'expired') THEN at + ${retention} END,
        dead_reason = CASE WHEN due.next = 'dead' THEN 'max_deliveries' ELSE m.dead_reason END
      FROM due WHERE m.tenant_id = in_tenant AND m.message_id = due.message_id)
    SELECT count(*) AS settled, array_agg(due.ordering_key) AS keys,
      count(*) FILTER (WHERE was <> 'dead' AND next <> 'queued') AS less_live,
      count(*) FILTER (WHERE next = 'dead') - count(*) FILTER (WHERE was = 'dead') AS more_dead,
      coalesce(sum(size) FILTER (WHERE next IN ('acked', 'expired')), 0) AS less_bytes
      INTO changed FROM due;
    IF changed.settled > 0 THEN
      UPDATE mailboxes b SET live = live - changed.less_live, dead = dead + changed.more_dead,
        bytes = bytes - changed.less_bytes WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox;
      PERFORM svc_mail_heads(in_tenant, in_mailbox, changed.keys, at);
    END IF;
    RETURN changed.settled;
  END $settle$;
`

const sending = `
  -- Holds the mailbox until the transaction ends; opens it where there is none and somebody may own it.
  CREATE FUNCTION svc_mail_enter(in_tenant text, in_mailbox text, in_owner text, at timestamptz)
    RETURNS mailboxes LANGUAGE plpgsql ${path} AS $enter$
  DECLARE
    box mailboxes;
    -- Nobody closes a mailbox, so others must not be able to use up all that an organization may have.
    most integer := CASE WHEN in_tenant = ${me} THEN ${mailboxes_of_tenant_max} ELSE ${mailboxes_by_others_max} END;
  BEGIN
    SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox FOR UPDATE;
    IF FOUND OR in_owner IS NULL THEN RETURN box; END IF;
    IF most <= (SELECT count(*) FROM (SELECT FROM mailboxes b WHERE b.tenant_id = in_tenant LIMIT most) there) THEN
      RAISE EXCEPTION USING ERRCODE = '${mailboxes_full_code}', MESSAGE = 'too many mailboxes';
    END IF;
    INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at)
      VALUES (in_tenant, in_mailbox, in_owner, at) ON CONFLICT DO NOTHING;
    SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox FOR UPDATE;
    RETURN box;
  END $enter$;

  CREATE FUNCTION svc_mail_next_seq(box mailboxes, in_key text) RETURNS bigint LANGUAGE plpgsql ${path} AS $seq$
  DECLARE
    given bigint;
  BEGIN
    IF in_key IS NULL THEN
      UPDATE mailboxes b SET last_seq = last_seq + 1 WHERE b.tenant_id = box.tenant_id AND b.mailbox = box.mailbox
        RETURNING b.last_seq INTO given;
    ELSE
      INSERT INTO mail_streams AS s VALUES (box.tenant_id, box.mailbox, in_key, 1)
        ON CONFLICT (tenant_id, mailbox, ordering_key) DO UPDATE SET last_seq = s.last_seq + 1
        RETURNING s.last_seq INTO given;
    END IF;
    RETURN given;
  END $seq$;

  -- The one way into another organization's mailbox, and only while a treaty stands.
  CREATE FUNCTION svc_mail_send(letter mail_messages, in_owner text, at timestamptz,
    OUT outcome text, OUT kept_id uuid, OUT kept_seq bigint)
    LANGUAGE plpgsql SECURITY DEFINER ${path} AS $send$
  DECLARE
    box mailboxes;
  BEGIN
    IF coalesce(${me}, '') = '' OR letter.tenant_id <> ${me} AND NOT svc_are_partners(${me}, letter.tenant_id) THEN
      RAISE EXCEPTION USING ERRCODE = '${no_treaty_code}', MESSAGE = 'no active treaty';
    END IF;
    box := svc_mail_enter(letter.tenant_id, letter.mailbox, in_owner, at);
    IF box.mailbox IS NULL THEN outcome := 'unknown'; RETURN; END IF;
    IF letter.dedupe_key IS NOT NULL THEN
      SELECT 'duplicate', m.message_id, m.seq INTO outcome, kept_id, kept_seq FROM mail_messages m
        WHERE m.tenant_id = letter.tenant_id AND m.mailbox = letter.mailbox AND m.sender_did = letter.sender_did
          AND m.dedupe_key = letter.dedupe_key AND m.sent_at > at - interval '${dedupe_days} days'
        ORDER BY m.sent_at DESC LIMIT 1;
      IF FOUND THEN RETURN; END IF;
    END IF;
    IF box.live >= ${mailbox_live_max} OR box.bytes + letter.size > ${mailbox_bytes_max} THEN
      PERFORM svc_mail_settle(letter.tenant_id, letter.mailbox, at);
      SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = letter.tenant_id AND b.mailbox = letter.mailbox;
    END IF;
    IF box.live >= ${mailbox_live_max} OR box.bytes + letter.size > ${mailbox_bytes_max} THEN
      outcome := 'full'; RETURN;
    END IF;
    letter.seq := CASE WHEN letter.ordering_key IS NULL THEN box.last_seq + 1
      ELSE svc_mail_next_seq(box, letter.ordering_key) END;
    letter.place := box.last_place + 1;
    letter.state := 'queued';
    letter.ready := letter.visible_at <= at AND (letter.ordering_key IS NULL OR NOT EXISTS (
      SELECT FROM mail_messages h WHERE h.tenant_id = letter.tenant_id AND h.mailbox = letter.mailbox
        AND h.ordering_key = letter.ordering_key AND h.state IN ('queued', 'in_flight')));
    letter.due_at := CASE WHEN letter.visible_at > at THEN least(letter.visible_at, letter.expires_at)
      ELSE letter.expires_at END;
    letter.attempt := 0;
    letter.attempts_max := ${deliveries_max};
    INSERT INTO mail_messages SELECT letter.*;
    UPDATE mailboxes b SET live = live + 1, bytes = bytes + letter.size, last_place = letter.place,
      last_seq = CASE WHEN letter.ordering_key IS NULL THEN letter.seq ELSE last_seq END
      WHERE b.tenant_id = letter.tenant_id AND b.mailbox = letter.mailbox;
    outcome := 'sent';
    kept_id := letter.message_id;
    kept_seq := letter.seq;
  END $send$;
`

export const mail_functions = `
  ${time}${sending}${mail_receiving}
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_mail_send(mail_messages, text, timestamptz) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
`
