// Applies answers and delivers the next messages, in one round trip.
import { deliveries_max } from './mail-limits.ts'
import { me, path, retention } from './mail-sql.ts'

const wantedOf = (row: string): string => `(in_thread IS NULL OR ${row}.thread_key = in_thread)
  AND (in_sender IS NULL OR ${row}.sender_did = in_sender) AND (in_type IS NULL OR ${row}.type_key = in_type)`
const listed = `x.tenant_id = box.tenant_id AND x.mailbox = in_mailbox AND x.place > after_place AND ${wantedOf('x')}`

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
        m.expires_at := at + m.ttl;
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
        due_at = CASE WHEN m.state IN ('received', 'dead') THEN at + ${retention}
          WHEN m.state = 'acked' THEN NULL
          WHEN m.visible_at > at THEN least(m.visible_at, m.expires_at) ELSE m.expires_at END,
        ended_at = CASE WHEN m.state IN ('acked', 'dead') THEN at END,
        forget_at = CASE WHEN m.state = 'acked' THEN at + ${retention} END
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
    held record;
  BEGIN
    -- Whoever asks has a mailbox of its own, whatever others use up.
    IF caller = in_mailbox
      AND NOT EXISTS (SELECT FROM mailboxes b WHERE b.tenant_id = ${me} AND b.mailbox = caller) THEN
      INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at) VALUES (${me}, caller, caller, at)
        ON CONFLICT DO NOTHING;
    END IF;
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
            forget_at = CASE m.qos WHEN 0 THEN at + ${retention} END
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
      -- What is only listed is not read from disk.
      FOR held IN SELECT m.message_id, m.attempt FROM mail_messages m WHERE m.tenant_id = box.tenant_id AND m.mailbox = in_mailbox AND m.state = 'received'
        ORDER BY m.place LIMIT wanted LOOP
        kind := 'unreleased';
        message := NULL;
        message.message_id := held.message_id;
        message.attempt := held.attempt;
        RETURN NEXT;
      END LOOP;
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

export const mail_receiving = `${answering}${receiving}`
