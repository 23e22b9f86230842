// What happens in a mailbox, as functions of the database: one round trip for a send and one for a receive.
import { engine_role, tenant_setting } from '@svc/contract/migration'
import {
  dedupe_days,
  deliveries_max,
  kept_days,
  mailbox_bytes_max,
  mailbox_live_max,
  mailboxes_of_tenant_max,
  settled_at_once_max,
} from './mail-limits.ts'

/** Raised where an organization would have too many mailboxes. */
export const mailboxes_full_code = 'SVM01'

const path = 'SET search_path = pg_catalog, public, pg_temp'
const me = `current_setting('${tenant_setting}', true)`
const kept = `interval '${kept_days} days'`

const wantedOf = (row: string): string => `(in_thread IS NULL OR ${row}.thread_key = in_thread)
  AND (in_sender IS NULL OR ${row}.sender_did = in_sender) AND (in_type IS NULL OR ${row}.type_key = in_type)`
const listed = `x.tenant_id = box.tenant_id AND x.mailbox = in_mailbox AND x.place > after_place AND ${wantedOf('x')}`

const time = `
  -- The first of each order may be handed out; nothing ever comes before it again.
  CREATE FUNCTION svc_mail_heads(in_tenant text, in_mailbox text, keys text[], at timestamptz) RETURNS void
    LANGUAGE sql ${path} AS $heads$
    UPDATE mail_messages m SET ready = true
    FROM (SELECT DISTINCT key FROM unnest(keys) AS k(key)) wanted CROSS JOIN LATERAL (
      SELECT h.message_id, h.state, h.visible_at FROM mail_messages h
      WHERE h.tenant_id = in_tenant AND h.mailbox = in_mailbox AND h.ordering_key = wanted.key
        AND h.state IN ('queued', 'in_flight') ORDER BY h.seq LIMIT 1) head
    WHERE m.tenant_id = in_tenant AND m.message_id = head.message_id
      AND head.state = 'queued' AND head.visible_at <= at AND NOT m.ready
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
        due_at = CASE due.next WHEN 'queued' THEN m.expires_at WHEN 'dead' THEN at + ${kept} END,
        ended_at = CASE WHEN due.next <> 'queued' THEN at END,
        forget_at = CASE WHEN due.was = 'dead' THEN at WHEN due.next IN ('acked', 'expired') THEN at + ${kept} END,
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
  BEGIN
    SELECT * INTO box FROM mailboxes b WHERE b.tenant_id = in_tenant AND b.mailbox = in_mailbox FOR UPDATE;
    IF FOUND OR in_owner IS NULL THEN RETURN box; END IF;
    IF (SELECT count(*) FROM (SELECT FROM mailboxes b WHERE b.tenant_id = in_tenant
        LIMIT ${mailboxes_of_tenant_max}) there) >= ${mailboxes_of_tenant_max} THEN
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
      RAISE EXCEPTION 'Mail reaches another organization only under a treaty.';
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

const answering = `
  -- What a receiver says of what it was handed. Saying it twice is saying it once.
  CREATE FUNCTION svc_mail_answer(box mailboxes, answers jsonb, at timestamptz)
    RETURNS TABLE (n integer, outcome text) LANGUAGE plpgsql ${path} AS $answer$
  DECLARE
    asked record;
    m mail_messages;
    was text;
    keys text[] := '{}';
    change record;
  BEGIN
    FOR asked IN SELECT * FROM jsonb_to_recordset(answers) AS a(n integer, kind text, id uuid, attempt integer,
        until timestamptz, dead boolean, note text, note_key text) ORDER BY a.n LOOP
      n := asked.n;
      outcome := 'stale';
      SELECT * INTO m FROM mail_messages x WHERE x.tenant_id = box.tenant_id AND x.message_id = asked.id
        AND x.mailbox = box.mailbox AND x.attempt = asked.attempt AND x.attempt > 0 FOR UPDATE;
      IF NOT FOUND THEN RETURN NEXT; CONTINUE; END IF;
      was := m.state;
      m.state := CASE
        WHEN asked.kind = 'ack' AND was IN ('queued', 'in_flight', 'dead')
          THEN CASE m.qos WHEN 2 THEN 'received' ELSE 'acked' END
        WHEN asked.kind = 'ack' AND was IN ('received', 'acked') THEN was
        WHEN asked.kind = 'release' AND m.qos = 2 AND was IN ('received', 'acked') THEN 'acked'
        WHEN asked.kind = 'nack' AND was IN ('queued', 'in_flight') AND (asked.dead OR m.attempt >= m.attempts_max)
          THEN 'dead'
        WHEN asked.kind = 'nack' AND was = 'dead' AND asked.dead THEN 'dead'
        WHEN asked.kind = 'nack' AND was IN ('queued', 'in_flight', 'dead') THEN 'queued' END;
      IF m.state IS NULL THEN RETURN NEXT; CONTINUE; END IF;
      outcome := asked.kind;
      RETURN NEXT;
      IF m.state = was AND (asked.kind <> 'nack' OR was = 'dead') THEN CONTINUE; END IF;
      IF was = 'dead' AND m.state = 'queued' THEN
        m.seq := svc_mail_next_seq(box, m.ordering_key);
        UPDATE mailboxes b SET last_place = last_place + 1 WHERE b.tenant_id = box.tenant_id
          AND b.mailbox = box.mailbox RETURNING b.last_place INTO m.place;
        m.attempts_max := m.attempt + ${deliveries_max};
        m.expires_at := at + (m.expires_at - m.sent_at);
      END IF;
      IF asked.kind = 'nack' THEN
        m.visible_at := asked.until;
        m.dead_reason := CASE WHEN m.state = 'dead' THEN CASE WHEN asked.dead THEN 'rejected' ELSE 'max_deliveries' END END;
        m.note_sealed := decode(asked.note, 'base64');
        m.note_key := decode(asked.note_key, 'base64');
      END IF;
      UPDATE mail_messages x SET state = m.state, seq = m.seq, place = m.place, attempts_max = m.attempts_max,
        visible_at = m.visible_at, expires_at = m.expires_at, dead_reason = m.dead_reason,
        note_sealed = m.note_sealed, note_key = m.note_key,
        ready = m.state = 'queued' AND m.ordering_key IS NULL AND m.visible_at <= at,
        due_at = CASE WHEN m.state IN ('received', 'dead') THEN at + ${kept}
          WHEN m.state = 'acked' THEN NULL
          WHEN m.visible_at > at THEN least(m.visible_at, m.expires_at) ELSE m.expires_at END,
        ended_at = CASE WHEN m.state IN ('acked', 'dead') THEN at END,
        forget_at = CASE WHEN m.state = 'acked' THEN at + ${kept} END
        WHERE x.tenant_id = m.tenant_id AND x.message_id = m.message_id;
      SELECT (m.state <> 'dead' AND m.state <> 'acked')::int - (was <> 'dead')::int AS live,
        (m.state = 'dead')::int - (was = 'dead')::int AS dead,
        CASE WHEN m.state = 'acked' THEN m.size ELSE 0 END AS bytes INTO change;
      UPDATE mailboxes b SET live = live + change.live, dead = b.dead + change.dead, bytes = bytes - change.bytes
        WHERE b.tenant_id = box.tenant_id AND b.mailbox = box.mailbox;
      keys := keys || m.ordering_key;
    END LOOP;
    PERFORM svc_mail_heads(box.tenant_id, box.mailbox, keys, at);
  END $answer$;
`

const receiving = `
  CREATE FUNCTION svc_mail_receive(in_mailbox text, in_owner text, caller text, in_delegates text[], answers jsonb,
    mode text, wanted integer, bytes_max bigint, after_place bigint, in_thread text, in_sender text, in_type text,
    at timestamptz, until timestamptz)
    RETURNS TABLE (kind text, n integer, message mail_messages, live integer, dead integer, next_at timestamptz)
    LANGUAGE plpgsql ${path} AS $receive$
  DECLARE
    box mailboxes;
    picked uuid[];
    done record;
  BEGIN
    box := svc_mail_enter(${me}, in_mailbox, in_owner, at);
    IF box.mailbox IS NULL THEN kind := 'unknown'; RETURN NEXT; RETURN; END IF;
    IF caller <> box.owner_did AND (in_delegates IS NOT NULL OR caller <> ALL(box.delegates)) THEN
      kind := 'denied'; RETURN NEXT; RETURN;
    END IF;
    IF in_delegates IS NOT NULL THEN
      UPDATE mailboxes b SET delegates = in_delegates WHERE b.tenant_id = box.tenant_id AND b.mailbox = in_mailbox;
    END IF;
    IF answers IS NOT NULL THEN
      RETURN QUERY SELECT a.outcome, a.n, NULL::mail_messages, NULL::integer, NULL::integer, NULL::timestamptz
        FROM svc_mail_answer(box, answers, at) a;
    END IF;
    PERFORM svc_mail_settle(box.tenant_id, in_mailbox, at);
    IF mode = 'live' THEN
      SELECT array_agg(fits.message_id) INTO picked FROM (
        SELECT p.message_id, row_number() OVER turn AS nth, sum(p.size) OVER turn AS upto FROM (
          SELECT m.message_id, m.size, m.priority, m.place FROM mail_messages m
          WHERE m.tenant_id = box.tenant_id AND m.mailbox = in_mailbox AND m.ready AND m.expires_at > at
            AND ${wantedOf('m')}
          ORDER BY m.priority DESC, m.place LIMIT wanted FOR UPDATE SKIP LOCKED) p
        WINDOW turn AS (ORDER BY p.priority DESC, p.place)) fits WHERE fits.nth = 1 OR fits.upto <= bytes_max;
      IF picked IS NOT NULL THEN
        RETURN QUERY UPDATE mail_messages m SET attempt = m.attempt + 1, ready = false, visible_at = until,
            state = CASE m.qos WHEN 0 THEN 'acked' ELSE 'in_flight' END,
            due_at = CASE m.qos WHEN 0 THEN NULL ELSE until END, ended_at = CASE m.qos WHEN 0 THEN at END,
            forget_at = CASE m.qos WHEN 0 THEN at + ${kept} END
          WHERE m.tenant_id = box.tenant_id AND m.message_id = ANY(picked)
          RETURNING 'message', NULL::integer, m, NULL::integer, NULL::integer, NULL::timestamptz;
        SELECT count(*) AS rows, sum(m.size) AS bytes, array_agg(m.ordering_key) AS keys INTO done
          FROM mail_messages m WHERE m.tenant_id = box.tenant_id AND m.message_id = ANY(picked) AND m.qos = 0;
        IF done.rows > 0 THEN
          UPDATE mailboxes b SET live = b.live - done.rows, bytes = b.bytes - done.bytes
            WHERE b.tenant_id = box.tenant_id AND b.mailbox = in_mailbox;
          PERFORM svc_mail_heads(box.tenant_id, in_mailbox, done.keys, at);
        END IF;
      END IF;
      RETURN QUERY SELECT 'unreleased', NULL::integer, m, NULL::integer, NULL::integer, NULL::timestamptz
        FROM mail_messages m WHERE m.tenant_id = box.tenant_id AND m.mailbox = in_mailbox AND m.state = 'received'
        ORDER BY m.place LIMIT wanted;
    ELSE
      SELECT array_agg(fits.message_id) INTO picked FROM (
        SELECT p.message_id, row_number() OVER turn AS nth, sum(p.size) OVER turn AS upto FROM (
          (SELECT x.message_id, x.size, x.place FROM mail_messages x WHERE mode = 'dead' AND x.state = 'dead'
            AND ${listed} ORDER BY x.place LIMIT wanted)
          UNION ALL
          (SELECT x.message_id, x.size, x.place FROM mail_messages x WHERE mode = 'peek'
            AND x.state IN ('queued', 'in_flight') AND ${listed} ORDER BY x.place LIMIT wanted)) p
        WINDOW turn AS (ORDER BY p.place)) fits WHERE fits.nth = 1 OR fits.upto <= bytes_max;
      RETURN QUERY SELECT 'message', NULL::integer, m, NULL::integer, NULL::integer, NULL::timestamptz
        FROM mail_messages m WHERE m.tenant_id = box.tenant_id AND m.message_id = ANY(picked);
    END IF;
    RETURN QUERY SELECT 'box', NULL::integer, NULL::mail_messages, b.live, b.dead,
      (SELECT min(m.due_at) FROM mail_messages m WHERE m.tenant_id = box.tenant_id AND m.mailbox = in_mailbox
        AND m.due_at IS NOT NULL) FROM mailboxes b WHERE b.tenant_id = box.tenant_id AND b.mailbox = in_mailbox;
  END $receive$;
`

export const mail_functions = `
  ${time}${sending}${answering}${receiving}
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_mail_send(mail_messages, text, timestamptz) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
`
